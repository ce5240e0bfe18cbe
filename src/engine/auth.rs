//! Client tokens: HS256 JWTs, minted for a backend that shows the API key, checked on every client request.
//!
//! Signature, issuer, audience and expiry are all checked, in one place, and every failure is the same 401
//! so that a caller learns nothing from it. The secret never leaves this file.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::Sha256;

use super::Millis;
use super::config::Config;
use super::http::Reply;
use super::ids::Ids;

type Signer = Hmac<Sha256>;

/// Who may touch a session: frozen at its first accepted submit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) tenant: String,
    pub(crate) subject: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Claims {
    iss: String,
    aud: String,
    exp: u64,
    iat: u64,
    jti: String,
    tenant_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sub: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    attrs: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    visibility: Option<Visibility>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Visibility {
    Private,
    Shared,
}

#[derive(Debug, Deserialize)]
struct MintBody {
    identity: Identity,
    #[serde(default = "default_ttl")]
    ttl_seconds: u64,
}

#[derive(Debug, Deserialize)]
struct Identity {
    #[serde(default)]
    id: String,
    #[serde(default)]
    metadata: Option<Value>,
    #[serde(default)]
    visibility: Option<Visibility>,
}

fn default_ttl() -> u64 {
    600
}

/// What follows `Bearer `, which is case-sensitive.
fn bearer(authorization: Option<&str>) -> Option<&str> {
    authorization?.strip_prefix("Bearer ")
}

/// Answers a backend's request for a client token.
pub(crate) fn mint(
    config: &Config,
    ids: &mut Ids,
    now: Millis,
    authorization: Option<&str>,
    body: &[u8],
) -> Reply {
    if bearer(authorization) != Some(config.api_key.as_str()) {
        return Reply::error(401, "unauthorized");
    }
    let body: MintBody = match serde_json::from_slice(body) {
        Ok(body) => body,
        Err(error) => return Reply::error(400, &error.to_string()),
    };
    if body.identity.id.trim().is_empty() {
        return Reply::error(400, "identity.id is required");
    }
    if body.ttl_seconds == 0 {
        return Reply::error(400, "ttl_seconds must be positive");
    }
    let issued = now.0 / 1000;
    let claims = Claims {
        iss: config.issuer.clone(),
        aud: config.audience.clone(),
        exp: issued.saturating_add(body.ttl_seconds),
        iat: issued,
        jti: ids.uuid(now),
        tenant_id: config.tenant_id.clone(),
        sub: Some(body.identity.id),
        attrs: body.identity.metadata,
        visibility: body.identity.visibility,
    };
    let expires_at = claims.exp;
    match sign(config, &claims) {
        Some(token) => Reply::json(200, &json!({ "token": token, "expires_at": expires_at })),
        None => Reply::error(500, "the token could not be signed"),
    }
}

fn sign(config: &Config, claims: &Claims) -> Option<String> {
    let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"HS256","typ":"JWT"}"#);
    let payload = URL_SAFE_NO_PAD.encode(serde_json::to_vec(claims).ok()?);
    let signed = format!("{header}.{payload}");
    let mut signer = Signer::new_from_slice(config.jwt_secret.as_bytes()).ok()?;
    signer.update(signed.as_bytes());
    let signature = URL_SAFE_NO_PAD.encode(signer.finalize().into_bytes());
    Some(format!("{signed}.{signature}"))
}

/// Says whose token this is, or with what to answer.
pub(crate) fn check(config: &Config, now: Millis, authorization: Option<&str>) -> Result<Owner, Reply> {
    let unauthorized = || Reply::error(401, "unauthorized");
    let token = bearer(authorization).ok_or_else(unauthorized)?;
    if token == config.api_key {
        // A known credential, but a machine's: it stands for no end user.
        return Err(Reply::error(403, "client subject is required"));
    }
    let claims = verified_claims(config, token).ok_or_else(unauthorized)?;
    let expired = claims.exp.saturating_add(config.leeway_secs) < now.0 / 1000;
    if expired || claims.iss != config.issuer || claims.aud != config.audience {
        return Err(unauthorized());
    }
    match claims.sub {
        Some(subject) if !subject.is_empty() => Ok(Owner { tenant: claims.tenant_id, subject }),
        _ => Err(Reply::error(403, "client subject is required")),
    }
}

fn verified_claims(config: &Config, token: &str) -> Option<Claims> {
    let (signed, signature) = token.rsplit_once('.')?;
    let (header, payload) = signed.split_once('.')?;
    let header: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(header).ok()?).ok()?;
    if header.get("alg").and_then(Value::as_str) != Some("HS256") {
        return None;
    }
    let mut signer = Signer::new_from_slice(config.jwt_secret.as_bytes()).ok()?;
    signer.update(signed.as_bytes());
    signer.verify_slice(&URL_SAFE_NO_PAD.decode(signature).ok()?).ok()?;
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).ok()?).ok()
}
