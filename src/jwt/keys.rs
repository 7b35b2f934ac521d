//! Our own RSA keys, for signing and for our JWKS.

use aws_lc_rs::{
    encoding::{AsDer, Pkcs8V1Der},
    rand::SystemRandom,
    rsa::KeySize,
    signature::{KeyPair, RSA_PKCS1_SHA256, RsaKeyPair},
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use serde::Serialize;
use serde_json::{Value, json};

/// A private key and its key id.
#[derive(Clone)]
pub struct SigningKey {
    pub kid: String,
    /// PKCS #8.
    der: Vec<u8>,
}

/// Omits the private key.
impl std::fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SigningKey").field("kid", &self.kid).finish_non_exhaustive()
    }
}

impl SigningKey {
    pub fn make(kid: String) -> Result<Self, String> {
        let pair =
            RsaKeyPair::generate(KeySize::Rsa2048).map_err(|_| "no RSA key could be made".to_owned())?;
        let der =
            AsDer::<Pkcs8V1Der<'_>>::as_der(&pair).map_err(|_| "no RSA key could be written".to_owned())?;
        Ok(Self { kid, der: der.as_ref().to_vec() })
    }

    pub fn from_der(kid: String, der: Vec<u8>) -> Self {
        Self { kid, der }
    }

    pub fn der(&self) -> &[u8] {
        &self.der
    }

    /// The public key as a JWK for `/lti/jwks.json`.
    pub fn public(&self) -> Result<Value, String> {
        let pair = self.pair()?;
        let public = pair.public_key();
        Ok(json!({
            "kty": "RSA",
            "use": "sig",
            "alg": "RS256",
            "kid": self.kid,
            "n": encoded(public.modulus().big_endian_without_leading_zero()),
            "e": encoded(public.exponent().big_endian_without_leading_zero()),
        }))
    }

    /// Signs a JWT with RS256. Hand-written because `jsonwebtoken` accepts only PKCS #1 keys, and ours are PKCS #8.
    pub fn sign(&self, claims: &impl Serialize) -> Result<String, String> {
        let pair = self.pair()?;
        let header = json!({ "typ": "JWT", "alg": "RS256", "kid": self.kid });
        let claims = serde_json::to_vec(claims).map_err(|error| error.to_string())?;
        let signed = format!("{}.{}", encoded(header.to_string().as_bytes()), encoded(&claims));
        let mut signature = vec![0; pair.public_modulus_len()];
        pair.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), signed.as_bytes(), &mut signature)
            .map_err(|_| "a token could not be signed".to_owned())?;
        Ok(format!("{signed}.{}", encoded(&signature)))
    }

    fn pair(&self) -> Result<RsaKeyPair, String> {
        RsaKeyPair::from_pkcs8(&self.der).map_err(|_| "this is no RSA key".to_owned())
    }
}

fn encoded(bytes: &[u8]) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use jsonwebtoken::{Algorithm, DecodingKey, Validation};

    use super::*;

    #[test]
    fn what_it_signs_its_public_half_confirms() {
        let key = SigningKey::make("k1".into()).unwrap();
        let again = SigningKey::from_der("k1".into(), key.der().to_vec());
        let token = again.sign(&json!({ "sub": "me", "exp": 4_000_000_000_u64 })).unwrap();
        let public = serde_json::from_value(key.public().unwrap()).unwrap();
        let decoded = jsonwebtoken::decode::<Value>(
            &token,
            &DecodingKey::from_jwk(&public).unwrap(),
            &Validation::new(Algorithm::RS256),
        )
        .unwrap();
        assert_eq!(decoded.header.kid.as_deref(), Some("k1"));
        assert_eq!(decoded.claims["sub"], "me");
    }
}
