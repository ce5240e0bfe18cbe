//! The runtime as JavaScript sees it: methods that say what happened and return at once.
//!
//! All take `&self`, so that a call from inside a callback is no second borrow of the object. None
//! throws over data; the one constructor throws over a configuration it cannot read.

use super::driver::Driver;
use super::host::Host;
use super::panics;
use super::settings::{configuration, kept, tool};
use crate::protocol::RawJson;
use crate::runtime::ids::InvocationId;
use crate::runtime::input::Input;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// One runtime. Freeing it does not close it: what is going on holds on to what it needs.
#[wasm_bindgen]
#[derive(Debug)]
pub struct RawRuntime {
    driver: Rc<Driver>,
}

#[wasm_bindgen]
impl RawRuntime {
    /// A runtime at rest.
    ///
    /// # Errors
    /// The name of the setting that is not what this build understands.
    #[wasm_bindgen(constructor)]
    pub fn new(config: &JsValue, host: Host) -> Result<RawRuntime, JsError> {
        let (settings, config) = configuration(config)?;
        panics::install();
        let driver = Driver::start(settings, config, host);
        panics::watch(&driver);
        Ok(RawRuntime { driver })
    }

    /// Names the kinds of events that somebody listens to, with commas between. None at first.
    #[wasm_bindgen(js_name = setInterest)]
    pub fn set_interest(&self, kinds: &str) {
        self.driver.set_interest(kinds);
    }

    /// A tool is there.
    ///
    /// # Errors
    /// The name of the field that is not what this build understands.
    #[wasm_bindgen(js_name = registerTool)]
    pub fn register_tool(&self, spec: &JsValue) -> Result<(), JsError> {
        self.driver.push(Input::ToolRegistered(Box::new(tool(spec)?)));
        Ok(())
    }

    /// A tool is gone.
    #[wasm_bindgen(js_name = unregisterTool)]
    pub fn unregister_tool(&self, name: String) {
        self.driver.push(Input::ToolUnregistered { name });
    }

    /// The stream is wanted from now on.
    pub fn attach(&self) {
        self.driver.push(Input::Attached);
    }

    /// A user message.
    pub fn send(&self, turn_id: String, message_id: String, text: String, queue: bool) {
        self.driver.push(Input::MessageSent { turn_id, message_id, text, queue });
    }

    /// A tool is to run without a model.
    #[wasm_bindgen(js_name = invokeTool)]
    pub fn invoke_tool(&self, call_id: String, name: String, arguments: String) {
        self.driver.push(Input::Invoked { call_id, name, arguments });
    }

    /// The app answers an interrupt, with JSON text or nothing, or gives it up.
    #[wasm_bindgen(js_name = answerInterrupt)]
    pub fn answer_interrupt(&self, interrupt_id: String, payload: Option<String>, cancelled: bool) {
        let payload = payload.map(|text| RawJson::of(&text.into()));
        self.driver.push(Input::InterruptAnswered { interrupt_id, payload, cancelled });
    }

    /// The app stops a turn.
    #[wasm_bindgen(js_name = cancelTurn)]
    pub fn cancel_turn(&self, turn_id: String, reason: String) {
        self.driver.push(Input::TurnCancelled { turn_id, reason });
    }

    /// What every run brings along from here on, a JSON object.
    #[cfg(feature = "ag_ui")]
    pub fn provide(&self, given: String) {
        self.driver.push(Input::RunInputGiven { given });
    }

    /// The interrupts that are open, a JSON array.
    #[must_use]
    pub fn interrupts(&self) -> String {
        self.driver.board.borrow().interrupts()
    }

    /// What failed may work now.
    pub fn wake(&self) {
        self.driver.push(Input::Woken);
    }

    /// The network came or went, where the page cannot tell by itself.
    #[wasm_bindgen(js_name = setOnline)]
    pub fn set_online(&self, online: bool) {
        self.driver.push(Input::NetworkChanged { online });
    }

    /// A handler says that it is alive.
    pub fn progress(&self, invocation: u32) {
        self.driver.push(Input::Progressed { invocation: InvocationId(invocation) });
    }

    /// A handler waits for a person.
    #[wasm_bindgen(js_name = askingStarted)]
    pub fn asking_started(&self, invocation: u32) {
        self.driver.push(Input::AskingStarted { invocation: InvocationId(invocation) });
    }

    /// The person answered.
    #[wasm_bindgen(js_name = askingEnded)]
    pub fn asking_ended(&self, invocation: u32) {
        self.driver.push(Input::AskingEnded { invocation: InvocationId(invocation) });
    }

    /// This page runs the session's calls from now on. Comes with the records that earlier owners left.
    #[wasm_bindgen(js_name = gainOwnership)]
    pub fn gain_ownership(&self, records: &JsValue) {
        self.driver.push(Input::OwnershipGained { records: kept(records) });
    }

    /// Another page runs the session's calls.
    #[wasm_bindgen(js_name = loseOwnership)]
    pub fn lose_ownership(&self) {
        self.driver.push(Input::OwnershipLost);
    }

    /// The page goes to sleep.
    pub fn suspend(&self) {
        self.driver.push(Input::Suspended);
    }

    /// The page is awake again.
    pub fn resume(&self) {
        self.driver.push(Input::Resumed);
    }

    /// Traps, at once or inside a task, so that tests can see what becomes of a page whose module did.
    ///
    /// # Panics
    /// Always: that is what it is for.
    #[doc(hidden)]
    #[allow(clippy::panic)]
    pub fn trap(&self, later: bool) {
        if later {
            self.driver.tasks.spawn(async { panic!("trapped on purpose") });
        } else {
            panic!("trapped on purpose");
        }
    }

    /// The registered tools, a JSON array.
    #[must_use]
    pub fn declarations(&self) -> String {
        self.driver.declarations()
    }

    /// The open calls, a JSON array.
    #[must_use]
    pub fn pending(&self) -> String {
        self.driver.board.borrow().pending()
    }

    /// The stream's state.
    #[must_use]
    pub fn state(&self) -> String {
        self.driver.board.borrow().state().to_owned()
    }

    /// The end. Whatever the machine still has to tell is told before this returns, unless it is called
    /// from inside a callback: then right after that.
    pub fn close(&self) {
        self.driver.push(Input::Closed);
    }
}
