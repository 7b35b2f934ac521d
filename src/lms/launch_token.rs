//! Signature check of launch tokens (JWT). `domain::lti` validates the claims afterwards.

use jsonwebtoken::{
    Algorithm, DecodingKey, Validation,
    jwk::{AlgorithmParameters, Jwk, JwkSet},
};
use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("it is no token")]
    Shape,
    /// Signed with another algorithm, or not at all. Checked before any key is looked up.
    #[error("it is not signed with RS256")]
    Algorithm,
    #[error("the platform does not show the key that it names")]
    Key,
    #[error("its signature is wrong")]
    Signature,
}

/// The key id in the token's header. The algorithm is fixed to RS256: the token cannot choose it.
pub fn key_id(token: &str) -> Result<Option<String>, Fault> {
    use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
    let mut parts = token.split('.');
    let (Some(head), Some(_), Some(_), None) = (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(Fault::Shape);
    };
    let head = BASE64_URL_SAFE_NO_PAD.decode(head).map_err(|_| Fault::Shape)?;
    let head: Value = serde_json::from_slice(&head).map_err(|_| Fault::Shape)?;
    if head["alg"] != "RS256" {
        return Err(Fault::Algorithm);
    }
    Ok(head["kid"].as_str().map(str::to_owned))
}

/// The key with this id. If the key or the token has no id, the key must be the only one.
pub fn choose_key<'a>(keys: &'a JwkSet, kid: Option<&str>) -> Option<&'a Jwk> {
    let is_rsa = |key: &&Jwk| matches!(key.algorithm, AlgorithmParameters::RSA(_));
    let named =
        keys.keys.iter().filter(is_rsa).find(|key| kid.is_some() && key.common.key_id.as_deref() == kid);
    named.or_else(|| match keys.keys.as_slice() {
        [only] if kid.is_none() || only.common.key_id.is_none() => Some(only).filter(is_rsa),
        _ => None,
    })
}

/// Verifies the signature and returns the claims.
pub fn verified(token: &str, key: &Jwk) -> Result<Value, Fault> {
    let key = DecodingKey::from_jwk(key).map_err(|_| Fault::Key)?;
    let mut rules = Validation::new(Algorithm::RS256);
    // `domain::lti` checks expiry and audience, with our own clock.
    rules.required_spec_claims.clear();
    (rules.validate_exp, rules.validate_nbf, rules.validate_aud) = (false, false, false);
    let token = jsonwebtoken::decode::<Value>(token, &key, &rules).map_err(|_| Fault::Signature)?;
    Ok(token.claims)
}

#[cfg(test)]
mod tests {
    use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
    use serde_json::json;

    use super::*;
    use crate::lms::keys::SigningKey;

    fn set(keys: &[Value]) -> JwkSet {
        serde_json::from_value(json!({ "keys": keys })).unwrap()
    }

    #[test]
    fn only_rs256_gets_as_far_as_a_key() {
        let with =
            |head: Value| key_id(&format!("{}.e30.c2ln", BASE64_URL_SAFE_NO_PAD.encode(head.to_string())));
        assert_eq!(with(json!({ "alg": "RS256", "kid": "a" })), Ok(Some("a".into())));
        assert_eq!(with(json!({ "alg": "RS256" })), Ok(None));
        for alg in ["none", "None", "HS256", "RS512", "PS256", "ES256", "rs256", ""] {
            assert_eq!(with(json!({ "alg": alg, "kid": "a" })), Err(Fault::Algorithm), "{alg}");
        }
        for shape in ["", "a.b", "a.b.c.d", "!.e30.x", "e30"] {
            assert_eq!(key_id(shape), Err(Fault::Shape), "{shape}");
        }
    }

    #[test]
    fn a_token_is_believed_with_the_key_that_signed_it_and_no_other() {
        let (one, two) = (SigningKey::make("1".into()).unwrap(), SigningKey::make("2".into()).unwrap());
        let keys = set(&[one.public().unwrap(), two.public().unwrap()]);
        let token = one.sign(&json!({ "exp": 1, "aud": "x" })).unwrap();
        let pick = |kid| choose_key(&keys, Some(kid)).unwrap();
        assert_eq!(verified(&token, pick("1")).unwrap()["exp"], 1);
        assert_eq!(verified(&token, pick("2")), Err(Fault::Signature));
        let (signed, _) = token.rsplit_once('.').unwrap();
        assert_eq!(verified(&format!("{signed}."), pick("1")), Err(Fault::Signature));
    }

    #[test]
    fn a_key_without_a_name_is_meant_when_it_is_alone() {
        let key = SigningKey::make("1".into()).unwrap();
        let mut nameless = key.public().unwrap();
        nameless.as_object_mut().unwrap().remove("kid");
        assert!(choose_key(&set(&[nameless.clone()]), Some("1")).is_some());
        assert!(choose_key(&set(&[key.public().unwrap()]), None).is_some());
        assert!(choose_key(&set(&[key.public().unwrap()]), Some("2")).is_none());
        assert!(choose_key(&set(&[nameless.clone(), nameless]), Some("1")).is_none());
        let shared = json!({ "kty": "oct", "kid": "1", "k": "c2VjcmV0" });
        assert!(choose_key(&set(&[shared]), Some("1")).is_none());
    }
}
