//! The one list of error codes, for Rust, TypeScript and the docs.
//!
//! A code is a promise: it keeps its spelling and its meaning within a major version, whatever the
//! message beside it says. `scripts/` generates the TypeScript union from this file's table.

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $family:ident;)*) => {
        /// A stable error code.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// Every code, in the order of the documentation.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// The code as it is spelled everywhere.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text,)* }
            }

            /// The family it is listed under.
            #[must_use]
            pub fn family(self) -> Family {
                match self { $(Code::$name => Family::$family,)* }
            }
        }
    };
}

/// Whom a code concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Getting the WASM into the page.
    Load,
    /// How the API was used.
    Use,
    /// The event stream.
    Stream,
    /// One frame of it.
    Frame,
    /// One tool call; the model reads it.
    Call,
    /// Getting an answer or a message to the engine.
    Delivery,
    /// Keeping calls over a reload.
    Store,
    /// The module itself failed.
    Fatal,
}

codes! {
    /// The WASM file could not be fetched or compiled.
    WasmLoadFailed = "wasm-load-failed", Load;
    /// The page's Content-Security-Policy refuses WASM.
    WasmBlocked = "wasm-blocked", Load;
    /// There is no WebAssembly here.
    UnsupportedEnvironment = "unsupported-environment", Load;
    /// The JavaScript and the WASM come from different builds.
    BuildMismatch = "build-mismatch", Load;
    /// An option is missing or has the wrong type.
    InvalidOptions = "invalid-options", Use;
    /// A tool definition is wrong.
    InvalidTool = "invalid-tool", Use;
    /// A schema does not compile.
    InvalidSchema = "invalid-schema", Use;
    /// Two tools have one name.
    DuplicateTool = "duplicate-tool", Use;
    /// The engine keeps an earlier or its own declaration of a tool's name.
    DeclarationIgnored = "declaration-ignored", Use;
    /// The runtime was closed.
    Closed = "closed", Use;
    /// The stream could not be reached, or broke; a CORS refusal looks like this.
    StreamNetwork = "stream-network", Stream;
    /// The stream was silent for too long.
    StreamIdle = "stream-idle", Stream;
    /// The engine refused the stream.
    StreamRefused = "stream-refused", Stream;
    /// What answered is not an event stream.
    StreamContentType = "stream-content-type", Stream;
    /// Events are missing from the stream and did not come when asked for again.
    StreamGap = "stream-gap", Stream;
    /// A frame is larger than the cap.
    FrameTooLarge = "frame-too-large", Frame;
    /// A frame is broken.
    FrameInvalid = "frame-invalid", Frame;
    /// A frame of a kind this version does not know.
    FrameUnknown = "frame-unknown", Frame;
    /// The arguments violate the input schema.
    SchemaValidationFailed = "SCHEMA_VALIDATION_FAILED", Call;
    /// The tool threw.
    ToolExecFailed = "TOOL_EXEC_FAILED", Call;
    /// No such tool is registered here.
    UnknownTool = "unknown-tool", Call;
    /// The arguments are not one whole JSON object.
    MalformedArguments = "malformed-arguments", Call;
    /// The result violates the output schema.
    InvalidResult = "invalid-result", Call;
    /// A person said no.
    Declined = "declined", Call;
    /// The call's time is up.
    DeadlineExceeded = "deadline_exceeded", Call;
    /// The call was called off.
    Cancelled = "cancelled", Call;
    /// The page went away while the tool ran; nobody knows what it did.
    Interrupted = "interrupted", Call;
    /// The tool returned something that cannot be sent.
    UnserialisableResult = "unserialisable-result", Call;
    /// The result is larger than the cap.
    ResultTooLarge = "result-too-large", Call;
    /// Too many calls are open.
    Overloaded = "overloaded", Call;
    /// The validator could not be loaded, so nothing was run.
    ValidatorUnavailable = "validator-unavailable", Call;
    /// The engine could not be reached with an answer yet.
    DeliveryNetwork = "delivery-network", Delivery;
    /// The engine refuses the token, a fresh one too.
    DeliveryUnauthorised = "delivery-unauthorised", Delivery;
    /// The engine says the call is not waiting for an answer.
    DeliveryConflict = "delivery-conflict", Delivery;
    /// The engine refuses the answer for good.
    DeliveryRejected = "delivery-rejected", Delivery;
    /// The engine took the answer, then refused it on the stream.
    ReplyRefused = "reply-refused", Delivery;
    /// A message was not taken: another turn was running.
    MessageRefused = "message-refused", Delivery;
    /// An answer to an interrupt was not taken.
    InterruptRefused = "interrupt-refused", Delivery;
    /// The model goes round in circles: the turn was stopped.
    TurnLooped = "turn-looped", Delivery;
    /// Too many answers wait to be sent.
    OutboxFull = "outbox-full", Delivery;
    /// There is no storage; calls live in memory.
    StoreUnavailable = "store-unavailable", Store;
    /// Storage is full.
    StoreQuota = "store-quota", Store;
    /// A stored record cannot be read.
    StoreCorrupt = "store-corrupt", Store;
    /// A stored record is of another version.
    StoreVersion = "store-version", Store;
    /// The module trapped; a fresh one takes over.
    WasmTrapped = "wasm-trapped", Fatal;
}

#[cfg(test)]
mod tests {
    use super::Code;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_codes_are_spelled_alike() {
        let spelled: BTreeSet<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(spelled.len(), Code::ALL.len());
    }
}
