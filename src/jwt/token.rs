//! The signature of a token. The claims are validated afterwards: `domain::lti` and `domain::sso`.

use jsonwebtoken::{
    DecodingKey, Validation,
    jwk::{AlgorithmParameters, EllipticCurve, Jwk, JwkSet},
};
use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("it is not a token")]
    Shape,
    /// Signed with another algorithm, or not at all. Checked before any key is looked up.
    #[error("it is not signed with an accepted algorithm")]
    Algorithm,
    #[error("its issuer does not publish the key that it names")]
    Key,
    #[error("its signature is wrong")]
    Signature,
}

/// The signature algorithms that we support.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    Rs256,
    Es256,
}

impl Algorithm {
    pub const ALL: [Self; 2] = [Self::Rs256, Self::Es256];

    /// The value of `alg`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Es256 => "ES256",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.word() == word)
    }

    const fn implemented(self) -> jsonwebtoken::Algorithm {
        match self {
            Self::Rs256 => jsonwebtoken::Algorithm::RS256,
            Self::Es256 => jsonwebtoken::Algorithm::ES256,
        }
    }

    /// Is this a key for the algorithm?
    fn fits(self, key: &Jwk) -> bool {
        match (self, &key.algorithm) {
            (Self::Rs256, AlgorithmParameters::RSA(_)) => true,
            (Self::Es256, AlgorithmParameters::EllipticCurve(key)) => key.curve == EllipticCurve::P256,
            _ => false,
        }
    }
}

/// What selects the key of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    pub algorithm: Algorithm,
    pub kid: Option<String>,
}

/// The header of a token, if it is signed with one of these algorithms.
pub fn header(token: &str, accepted: &[Algorithm]) -> Result<Header, Fault> {
    use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
    let mut parts = token.split('.');
    let (Some(head), Some(_), Some(_), None) = (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(Fault::Shape);
    };
    let head = BASE64_URL_SAFE_NO_PAD.decode(head).map_err(|_| Fault::Shape)?;
    let head: Value = serde_json::from_slice(&head).map_err(|_| Fault::Shape)?;
    let algorithm = head["alg"].as_str().and_then(Algorithm::parse);
    let algorithm = algorithm.filter(|algorithm| accepted.contains(algorithm)).ok_or(Fault::Algorithm)?;
    Ok(Header { algorithm, kid: head["kid"].as_str().map(str::to_owned) })
}

/// The key with this id. If the key or the token has no id, the key must be the only one.
pub fn choose_key<'a>(keys: &'a JwkSet, header: &Header) -> Option<&'a Jwk> {
    let Header { algorithm, kid } = header;
    let kid = kid.as_deref();
    let fits = |key: &&Jwk| algorithm.fits(key);
    let named =
        keys.keys.iter().filter(fits).find(|key| kid.is_some() && key.common.key_id.as_deref() == kid);
    named.or_else(|| match keys.keys.as_slice() {
        [only] if kid.is_none() || only.common.key_id.is_none() => Some(only).filter(fits),
        _ => None,
    })
}

/// Verifies the signature and returns the claims.
pub fn verified(token: &str, key: &Jwk, algorithm: Algorithm) -> Result<Value, Fault> {
    let key = DecodingKey::from_jwk(key).map_err(|_| Fault::Key)?;
    let mut rules = Validation::new(algorithm.implemented());
    // Expiry and audience are checked with the other claims, and with our own clock.
    rules.required_spec_claims.clear();
    (rules.validate_exp, rules.validate_nbf, rules.validate_aud) = (false, false, false);
    let token = jsonwebtoken::decode::<Value>(token, &key, &rules).map_err(|_| Fault::Signature)?;
    Ok(token.claims)
}

#[cfg(test)]
mod tests {
    use aws_lc_rs::{
        rand::SystemRandom,
        signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair},
    };
    use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
    use serde_json::json;

    use super::*;
    use crate::jwt::keys::SigningKey;

    const RS256: &[Algorithm] = &[Algorithm::Rs256];

    fn set(keys: &[Value]) -> JwkSet {
        serde_json::from_value(json!({ "keys": keys })).unwrap()
    }

    fn encoded(text: impl AsRef<[u8]>) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(text)
    }

    fn rsa(kid: Option<&str>) -> Header {
        Header { algorithm: Algorithm::Rs256, kid: kid.map(str::to_owned) }
    }

    fn with(head: &Value) -> String {
        format!("{}.e30.c2ln", encoded(head.to_string()))
    }

    #[test]
    fn only_an_accepted_algorithm_gets_as_far_as_a_key() {
        assert_eq!(header(&with(&json!({ "alg": "RS256", "kid": "a" })), RS256), Ok(rsa(Some("a"))));
        assert_eq!(header(&with(&json!({ "alg": "RS256" })), RS256), Ok(rsa(None)));
        for alg in ["none", "None", "HS256", "RS512", "PS256", "ES256", "rs256", ""] {
            let token = with(&json!({ "alg": alg, "kid": "a" }));
            assert_eq!(header(&token, RS256), Err(Fault::Algorithm), "{alg}");
        }
        for alg in ["none", "HS256", "ES384", "es256"] {
            let token = with(&json!({ "alg": alg, "kid": "a" }));
            assert_eq!(header(&token, &Algorithm::ALL), Err(Fault::Algorithm), "{alg}");
        }
        for shape in ["", "a.b", "a.b.c.d", "!.e30.x", "e30"] {
            assert_eq!(header(shape, RS256), Err(Fault::Shape), "{shape}");
        }
    }

    #[test]
    fn a_token_is_believed_with_the_key_that_signed_it_and_no_other() {
        let (one, two) = (SigningKey::make("1".into()).unwrap(), SigningKey::make("2".into()).unwrap());
        let keys = set(&[one.public().unwrap(), two.public().unwrap()]);
        let token = one.sign(&json!({ "exp": 1, "aud": "x" })).unwrap();
        let pick = |kid| choose_key(&keys, &rsa(Some(kid))).unwrap();
        let verified = |token: &str, kid| verified(token, pick(kid), Algorithm::Rs256);
        assert_eq!(verified(&token, "1").unwrap()["exp"], 1);
        assert_eq!(verified(&token, "2"), Err(Fault::Signature));
        let (signed, _) = token.rsplit_once('.').unwrap();
        assert_eq!(verified(&format!("{signed}."), "1"), Err(Fault::Signature));
    }

    #[test]
    fn a_token_signed_with_es256_is_verified_with_a_key_on_p256() {
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
        let point = pair.public_key().as_ref();
        let (x, y) = (encoded(&point[1..33]), encoded(&point[33..65]));
        let public = json!({ "kty": "EC", "crv": "P-256", "kid": "e", "x": x, "y": y });
        let keys = set(&[public, SigningKey::make("1".into()).unwrap().public().unwrap()]);
        let signed = format!("{}.{}", encoded(r#"{"alg":"ES256","kid":"e"}"#), encoded(r#"{"sub":"7"}"#));
        let signature = pair.sign(&SystemRandom::new(), signed.as_bytes()).unwrap();
        let token = format!("{signed}.{}", encoded(signature));
        let header = header(&token, &Algorithm::ALL).unwrap();
        let key = choose_key(&keys, &header).unwrap();
        assert_eq!(verified(&token, key, header.algorithm).unwrap()["sub"], "7");
        assert_eq!(
            verified(&format!("{signed}.{}", encoded([0; 64])), key, header.algorithm),
            Err(Fault::Signature)
        );
        // The type of the key must fit the algorithm.
        assert!(choose_key(&keys, &rsa(Some("e"))).is_none());
        assert!(choose_key(&keys, &Header { kid: Some("1".into()), ..header }).is_none());
    }

    #[test]
    fn a_public_key_is_no_secret_of_a_symmetric_algorithm() {
        let key = SigningKey::make("1".into()).unwrap();
        let modulus = key.public().unwrap()["n"].as_str().unwrap().to_owned();
        let signed = format!("{}.{}", encoded(r#"{"alg":"HS256","kid":"1"}"#), encoded(r#"{"sub":"7"}"#));
        let hmac = aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA256, modulus.as_bytes());
        let token = format!("{signed}.{}", encoded(aws_lc_rs::hmac::sign(&hmac, signed.as_bytes())));
        assert_eq!(header(&token, &Algorithm::ALL), Err(Fault::Algorithm));
        let public = serde_json::from_value(key.public().unwrap()).unwrap();
        assert_eq!(verified(&token, &public, Algorithm::Rs256), Err(Fault::Signature));
    }

    #[test]
    fn a_key_without_a_name_is_meant_when_it_is_alone() {
        let key = SigningKey::make("1".into()).unwrap();
        let mut nameless = key.public().unwrap();
        nameless.as_object_mut().unwrap().remove("kid");
        assert!(choose_key(&set(&[nameless.clone()]), &rsa(Some("1"))).is_some());
        assert!(choose_key(&set(&[key.public().unwrap()]), &rsa(None)).is_some());
        assert!(choose_key(&set(&[key.public().unwrap()]), &rsa(Some("2"))).is_none());
        assert!(choose_key(&set(&[nameless.clone(), nameless]), &rsa(Some("1"))).is_none());
        let shared = json!({ "kty": "oct", "kid": "1", "k": "c2VjcmV0" });
        assert!(choose_key(&set(&[shared]), &rsa(Some("1"))).is_none());
    }
}
