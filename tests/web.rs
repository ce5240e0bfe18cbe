//! The driver in a real browser, over hosts that behave in every way a page's JavaScript may.
//!
//! Each test ends with two guards: no stray error or rejection, and no panic. What the hosts do is
//! written in `web/page.js`.

#![cfg(target_arch = "wasm32")]
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use pagehand::browser::exports::RawRuntime;
use pagehand::browser::host::Host;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen(module = "/tests/web/page.js")]
extern "C" {
    #[wasm_bindgen(js_name = wait)]
    fn js_wait(span: u32) -> js_sys::Promise;
    #[wasm_bindgen(js_name = watchStray)]
    fn watch_stray() -> JsValue;
    #[wasm_bindgen(js_name = strayCount)]
    fn stray_count(stray: &JsValue) -> u32;
    #[wasm_bindgen(js_name = watchTimers)]
    fn watch_timers() -> JsValue;
    #[wasm_bindgen(js_name = mostTimers)]
    fn most_timers(counts: &JsValue) -> u32;
    #[wasm_bindgen(js_name = stopTimers)]
    fn stop_timers(counts: &JsValue) -> u32;
    #[wasm_bindgen(js_name = makeHost)]
    fn make_host(answer: &str, text: &str, told: &JsValue) -> Host;
    #[wasm_bindgen(js_name = seenBy)]
    fn seen_by(host: &Host) -> String;
    #[wasm_bindgen(js_name = handlerGives)]
    fn handler_gives(host: &Host, what: &str);
    #[wasm_bindgen(js_name = goOffline)]
    fn go_offline();
    #[wasm_bindgen(js_name = goOnline)]
    fn go_online();
}

const KINDS: &str =
    "connection,call,agent.tool.calling,agent.tool.called,agent.tool.failed,warning,turn.finished";

fn parse(json: &str) -> JsValue {
    js_sys::JSON::parse(json).unwrap()
}

async fn wait(span: u32) {
    JsFuture::from(js_wait(span)).await.unwrap();
}

/// One runtime with its host and the guards.
struct Page {
    runtime: Rc<RawRuntime>,
    host: Host,
    stray: JsValue,
}

impl Page {
    fn open(answer: &str, text: &str) -> Page {
        Page::with(make_host(answer, text, &JsValue::UNDEFINED))
    }

    fn with(host: Host) -> Page {
        let stray = watch_stray();
        let config = json!({
            "engine": "https://engine.test", "agent": "shop", "sessionId": "s1", "fresh": true,
            "seed": 7, "backoffBase": 10, "backoffMax": 20, "replayQuiet": 10, "unknownToolGrace": 10,
        });
        let runtime =
            RawRuntime::new(&parse(&config.to_string()), host.clone()).unwrap_or_else(|_| panic!("config"));
        runtime.set_interest(KINDS);
        Page { runtime: Rc::new(runtime), host, stray }
    }

    fn register(&self, name: &str) {
        self.runtime
            .register_tool(&parse(&json!({ "name": name }).to_string()))
            .unwrap_or_else(|_| panic!("tool"));
    }

    fn seen(&self) -> Value {
        serde_json::from_str(&seen_by(&self.host)).unwrap()
    }

    fn events(&self, kind: &str) -> Vec<Value> {
        let seen = self.seen();
        let events = seen["events"].as_array().unwrap();
        events.iter().filter(|event| event["type"] == kind).cloned().collect()
    }

    async fn until(&self, what: &str, holds: impl Fn(&Page) -> bool) {
        for _ in 0..200 {
            if holds(self) {
                return;
            }
            wait(10).await;
        }
        panic!("{what} did not come: {}", self.seen());
    }

    async fn close(self) {
        self.runtime.close();
        wait(30).await;
        assert_eq!(self.seen()["panics"], json!([]));
        assert_eq!(stray_count(&self.stray), 0, "nobody handled an error");
    }
}

/// One call for the page, as the engine announces it.
fn call_frames() -> String {
    let frames = [
        json!({ "seq": 1, "turn_id": "t1", "payload": { "type": "turn.started" } }),
        json!({ "seq": 2, "turn_id": "t1", "payload": {
            "type": "tool.call.requested", "id": "call_1", "attempt": 0, "name": "read_cart",
            "arguments": "{\"wide\":9007199254740993,\"text\":\"h\u{e9}llo\"}", "handler": "client" } }),
        json!({ "seq": 3, "turn_id": "t1", "payload": { "type": "tool.call.dispatched", "id": "call_1", "attempt": 0 } }),
    ];
    frames
        .iter()
        .map(|frame| {
            let kind = frame["payload"]["type"].as_str().unwrap();
            format!("id: {}\nevent: {kind}\ndata: {frame}\n\n", frame["seq"])
        })
        .collect()
}

fn waits(page: &Page) -> bool {
    page.events("connection").iter().filter(|event| event["state"] == "waiting").count() > 1
}

#[wasm_bindgen_test]
async fn a_stream_is_read_to_its_end_and_its_call_is_answered() {
    for answer in ["whole", "open", "broken", "foreign"] {
        let page = Page::open(answer, &call_frames());
        page.register("read_cart");
        page.runtime.attach();
        page.until("the answer", |page| page.seen()["posts"].as_array().unwrap().len() == 1).await;
        let seen = page.seen();
        assert_eq!(
            seen["invoked"],
            json!([["read_cart", "{\"wide\":9007199254740993,\"text\":\"h\u{e9}llo\"}"]]),
            "{answer}: the arguments are the model's own text, and run once"
        );
        let post: Value = serde_json::from_str(seen["posts"][0].as_str().unwrap()).unwrap();
        assert_eq!(post["session_id"], "s1");
        assert_eq!(post["input"]["type"], "tool.result");
        assert_eq!(post["input"]["id"], "call_1");
        page.close().await;
    }
}

#[wasm_bindgen_test]
async fn whatever_fetch_does_counts_as_a_broken_stream_and_is_tried_again() {
    let odd = [
        "reject: string",
        "reject: undefined",
        "reject: symbol",
        "reject: foreign error",
        "reject: throwing getters",
        "reject: abort with a reason",
        "throw",
        "not a response",
        "nothing",
        "a string",
        "a body of strings",
        "a body without a reader",
    ];
    for answer in odd {
        let page = Page::open(answer, "");
        page.runtime.attach();
        page.until(answer, waits).await;
        page.close().await;
    }
}

#[wasm_bindgen_test]
async fn whatever_a_handler_gives_becomes_one_answer() {
    for (what, kind) in [
        ("promise", "tool.result"),
        ("reject", "tool.error"),
        ("failure", "tool.error"),
        ("nonsense", "tool.error"),
    ] {
        let page = Page::open("open", &call_frames());
        handler_gives(&page.host, what);
        page.register("read_cart");
        page.runtime.attach();
        page.until(what, |page| page.seen()["posts"].as_array().unwrap().len() == 1).await;
        let post: Value = serde_json::from_str(page.seen()["posts"][0].as_str().unwrap()).unwrap();
        assert_eq!(post["input"]["type"], kind, "{what}");
        page.close().await;
    }
}

#[wasm_bindgen_test]
async fn a_listener_may_call_back_into_the_runtime() {
    let slot: Rc<RefCell<Option<Rc<RawRuntime>>>> = Rc::default();
    let inner = Rc::clone(&slot);
    let told = Closure::<dyn FnMut(String)>::new(move |kind: String| {
        let runtime = inner.borrow().clone();
        let Some(runtime) = runtime else { return };
        match kind.as_str() {
            "connection" => {
                let _ = runtime.register_tool(&parse("{\"name\":\"read_cart\"}"));
                let _ = (runtime.pending(), runtime.state(), runtime.declarations());
            }
            "agent.tool.calling" => runtime.invoke_tool("mine".into(), "read_cart".into(), "{}".into()),
            "agent.tool.called" => runtime.send("t2".into(), "m2".into(), "and now?".into(), false),
            _ => {}
        }
    });
    let page = Page::with(make_host("open", &call_frames(), told.as_ref()));
    slot.replace(Some(Rc::clone(&page.runtime)));
    page.runtime.attach();
    page.until("the message sent from a listener", |page| {
        page.seen()["posts"]
            .as_array()
            .unwrap()
            .iter()
            .any(|post| post.as_str().unwrap().contains("and now?"))
    })
    .await;
    assert!(page.seen()["invoked"].as_array().unwrap().len() >= 2);
    slot.take();
    page.close().await;
}

#[wasm_bindgen_test]
async fn closing_aborts_what_goes_on_and_nothing_is_told_afterwards() {
    let page = Page::open("open", &call_frames());
    handler_gives(&page.host, "never");
    page.register("read_cart");
    page.runtime.attach();
    page.until("the run", |page| page.seen()["invoked"].as_array().unwrap().len() == 1).await;
    assert_ne!(page.runtime.pending(), "[]");
    page.runtime.close();
    let told = page.seen()["events"].as_array().unwrap().len();
    wait(50).await;
    let seen = page.seen();
    assert_eq!(seen["events"].as_array().unwrap().len(), told);
    let aborted = seen["aborted"].as_array().unwrap();
    assert!(aborted.contains(&json!("handler")) && aborted.contains(&json!("AbortError")), "{aborted:?}");
    assert_eq!(page.runtime.pending(), "[]");
    page.runtime.attach();
    page.runtime.send("t".into(), "m".into(), "x".into(), false);
    wait(20).await;
    assert_eq!(page.seen()["requests"], seen["requests"]);
    page.close().await;
}

#[wasm_bindgen_test]
async fn there_is_one_timer_and_none_after_close() {
    let counts = watch_timers();
    let page = Page::open("reject: string", "");
    page.runtime.attach();
    page.until("two tries", waits).await;
    page.runtime.close();
    assert!(most_timers(&counts) >= 1);
    assert_eq!(most_timers(&counts), 1);
    assert_eq!(stop_timers(&counts), 0);
    page.close().await;
}

#[wasm_bindgen_test]
async fn the_pages_own_signals_reach_the_machine() {
    let page = Page::open("reject: string", "");
    page.runtime.attach();
    page.until("two tries", waits).await;
    go_offline();
    wait(40).await;
    let tries = page.seen()["requests"].as_u64();
    wait(100).await;
    assert_eq!(page.seen()["requests"].as_u64(), tries, "nothing is tried without a network");
    go_online();
    page.until("another try", |page| page.seen()["requests"].as_u64() > tries).await;
    page.close().await;
}

#[wasm_bindgen_test]
async fn only_the_kinds_somebody_listens_to_cross_over() {
    let page = Page::open("open", &call_frames());
    page.runtime.set_interest("agent.tool.calling");
    page.register("read_cart");
    page.runtime.attach();
    page.until("the event", |page| !page.events("agent.tool.calling").is_empty()).await;
    let seen = page.seen();
    let kinds: Vec<&Value> = seen["events"].as_array().unwrap().iter().map(|event| &event["type"]).collect();
    assert!(kinds.iter().all(|kind| **kind == "agent.tool.calling"), "{kinds:?}");
    page.close().await;
}

#[wasm_bindgen_test]
async fn a_wrong_configuration_is_an_error_and_no_trap() {
    let host = make_host("never", "", &JsValue::UNDEFINED);
    let whole = json!({ "engine": "https://engine.test", "agent": "a", "sessionId": "s" });
    for (name, wrong) in
        [("engine", json!(7)), ("agent", json!(null)), ("seed", json!("y")), ("fresh", json!(1))]
    {
        let mut config = whole.clone();
        config[name] = wrong;
        let error = RawRuntime::new(&parse(&config.to_string()), host.clone()).map(|_| ()).unwrap_err();
        assert_eq!(JsValue::from(error).dyn_into::<js_sys::Error>().unwrap().message(), name);
    }
    for config in [JsValue::UNDEFINED, JsValue::NULL, JsValue::from(7), JsValue::from("x")] {
        assert!(RawRuntime::new(&config, host.clone()).is_err());
    }
    let page = Page::with(host);
    assert!(page.runtime.register_tool(&parse("{}")).is_err());
    assert!(page.runtime.register_tool(&parse("{\"name\":\"t\",\"input\":\"{cut\"}")).is_err());
    assert!(page.runtime.register_tool(&JsValue::UNDEFINED).is_err());
    page.close().await;
}

#[wasm_bindgen_test]
async fn a_runtime_that_is_closed_and_freed_leaves_nothing_behind() {
    async fn once() {
        let page = Page::open("open", &call_frames());
        page.register("read_cart");
        page.runtime.attach();
        page.until("the answer", |page| page.seen()["posts"].as_array().unwrap().len() == 1).await;
        page.close().await;
        wait(50).await;
    }
    // The first run fills what is made once: the executor's own promise, cached names.
    once().await;
    let before = wasm_bindgen::externref_heap_live_count();
    for _ in 0..5 {
        once().await;
    }
    assert_eq!(wasm_bindgen::externref_heap_live_count(), before);
}
