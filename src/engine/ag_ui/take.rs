//! What a run brings into its session: answers and news by its view, resumes, or a turn of its own.
//!
//! A run that comes while a turn is under way joins that turn: there is one turn at a time. A run that was taken
//! before, under its own id or as one that joined, is never taken twice; its stream only listens.

use serde_json::Value;

use super::super::auth::Owner;
use super::super::body::{ClientContext, Role};
use super::super::decisions::{News, Submission, Trigger};
use super::super::engine::Engine;
use super::super::http::{Reply, Request};
use super::super::inputs;
use super::super::session::Session;
use super::super::shared::Shared;
use super::super::stream;
use super::super::switches::AgUiAnswers;
use super::body::{self, Resume, RunBody};
use super::run::Run;

/// What becomes of the stream of a run that was taken.
enum Course {
    /// It tells of its turn.
    On,
    /// There is nothing to tell.
    Over,
}

/// Which turn an id of a run stands for.
enum Known {
    No,
    Running(String),
    Ended,
}

/// Takes a run. The error is a reply; what goes wrong later is told on the stream.
pub(super) fn run(engine: &mut Engine, request: &Request, agent: &str) -> Result<(), Reply> {
    let owner = engine.shared.authorize(request)?;
    let body = body::parse_run(engine.shared.config.body_limit, request)?;
    let thread = body.thread_id.clone().unwrap_or_else(|| engine.shared.new_id());
    let run_id = body.run_id.clone().unwrap_or_else(|| engine.shared.new_id());
    let mut run = Run::new(&thread, &run_id, Some(run_id.clone()));
    run.know(body.messages.iter().filter_map(|message| message.id.clone()).collect());
    let started = run.started();
    stream::attach_run(engine, request, &thread, owner.clone(), run)?;
    engine.shared.send_run(request.id, &[started], false);
    let taken = Taking { id: request.id, agent, thread: &thread, run_id: &run_id };
    let last = match taken.take(engine, owner, body) {
        Ok(Course::On) => return Ok(()),
        Ok(Course::Over) => Run::new(&thread, &run_id, None).finished(None, Vec::new()),
        Err(message) => Run::failed(&message),
    };
    engine.shared.send_run(request.id, &[last], true);
    Ok(())
}

/// A run while it is taken.
struct Taking<'a> {
    /// Its stream.
    id: u64,
    agent: &'a str,
    thread: &'a str,
    run_id: &'a str,
}

impl Taking<'_> {
    fn take(&self, engine: &mut Engine, owner: Owner, body: RunBody) -> Result<Course, String> {
        if body.messages.is_empty() && body.resume.is_empty() {
            return Err("the run brings nothing: give it `messages`, `resume` or both".to_owned());
        }
        let Engine { shared, sessions } = engine;
        let Some(session) = sessions.get_mut(self.thread) else {
            if let Some(entry) = body.resume.first() {
                return Err(unknown_interrupt(entry));
            }
            let (submission, _) = self.submission(body);
            let agent = self.agent.to_owned();
            let created = inputs::create(shared, self.thread, owner, agent, submission);
            sessions.insert(self.thread.to_owned(), created);
            return Ok(Course::On);
        };
        if session.cancelled {
            return Err("the session is cancelled".to_owned());
        }
        let known = known(session, self.run_id);
        let resumes = resumes(session, &body.resume, !matches!(known, Known::No))?;
        let dropped = shared.config.switches.ag_ui_answers == AgUiAnswers::Dropped && resumes.is_empty();
        match known {
            Known::Ended => return Ok(Course::Over),
            Known::Running(turn) => {
                self.listen(shared, Some(turn), dropped);
                if !dropped {
                    let (submission, _) = self.submission(body);
                    take_answers(session, shared, &submission.news);
                    resume(session, shared, resumes);
                }
                return Ok(Course::On);
            }
            Known::No => {}
        }
        let running = session.turn.as_ref().map(|turn| turn.id.clone());
        let starting = session.waiting.front().filter(|_| running.is_none()).map(|turn| turn.turn_id.clone());
        if dropped && (running.is_some() || starting.is_some()) {
            // The refusal is swallowed: the stream waits for a turn that nobody begins.
            self.listen(shared, Some(self.run_id.to_owned()), true);
            return Ok(Course::On);
        }
        let (mut submission, empty) = self.submission(body);
        session.align(&mut submission);
        let idle = running.is_none() && starting.is_none();
        let joined = running.clone().or_else(|| starting.clone().filter(|_| empty));
        if let Some(turn) = joined {
            self.listen(shared, Some(turn.clone()), false);
            session.joined_runs.push((self.run_id.to_owned(), turn));
        }
        match (&submission.news, running) {
            (News::View(view), Some(_)) if !empty => {
                let view = view.clone();
                session.examine_view(shared, view, submission);
                resume(session, shared, resumes);
            }
            _ if empty => {
                resume(session, shared, resumes);
                if idle {
                    return Ok(Course::Over);
                }
            }
            _ => {
                resume(session, shared, resumes);
                if starting.is_some() {
                    session.queue_turn(shared, submission);
                } else {
                    session.begin_turn(shared, submission);
                }
                session.pump(shared);
            }
        }
        Ok(Course::On)
    }

    /// Says which turn the stream tells of, before that turn goes on.
    fn listen(&self, shared: &mut Shared, turn: Option<String>, unheard: bool) {
        if let Some(run) = shared.run_mut(self.id) {
            run.follow(turn);
            if unheard {
                run.go_unheard();
            }
        }
    }

    /// The run as a turn to come, and whether it has no messages.
    fn submission(&self, body: RunBody) -> (Submission, bool) {
        let empty = body.messages.is_empty();
        let client = ClientContext::new(body.tools, body.context, body.state, body.forwarded_props);
        let submission = Submission {
            turn_id: self.run_id.to_owned(),
            stream: true,
            news: News::View(body.messages),
            context: client.rest(),
            tools: client.tools,
            by_calls: true,
            announced: None,
        };
        (submission, empty)
    }
}

fn known(session: &Session, run_id: &str) -> Known {
    let joined = session.joined_runs.iter().find(|(run, _)| run == run_id);
    let turn = joined.map_or(run_id, |(_, turn)| turn.as_str());
    let runs = session.turn.as_ref().is_some_and(|running| running.id == turn);
    if runs || session.waiting.iter().any(|waiting| waiting.turn_id == turn) {
        Known::Running(turn.to_owned())
    } else if session.ended_turns.iter().any(|ended| ended == turn) {
        Known::Ended
    } else {
        Known::No
    }
}

/// The interrupts that the entries resume. One that is resumed already asks for nothing; every open one must be
/// among them, unless the run is known and brings none.
fn resumes(session: &Session, entries: &[Resume], known: bool) -> Result<Vec<(String, Value)>, String> {
    let mut resumes = Vec::new();
    for entry in entries {
        let found = session.interrupts.iter().find(|interrupt| interrupt.id == entry.interrupt_id);
        let found = found.ok_or_else(|| unknown_interrupt(entry))?;
        if !found.open {
            continue;
        }
        if !found.client_may_resume {
            return Err(format!("the interrupt {} is not for the page to resume", found.id));
        }
        resumes.push((found.id.clone(), entry.answer()));
    }
    let left = session.interrupts.iter().filter(|interrupt| interrupt.open);
    let mut left = left.filter(|open| !resumes.iter().any(|(id, _)| *id == open.id));
    match left.next() {
        Some(open) if !(known && entries.is_empty()) => Err(format!(
            "the session waits at the interrupt {}: a run must carry a `resume` entry for each open one",
            open.id
        )),
        _ => Ok(resumes),
    }
}

fn unknown_interrupt(entry: &Resume) -> String {
    format!("there is no interrupt {}", entry.interrupt_id)
}

fn resume(session: &mut Session, shared: &mut Shared, resumes: Vec<(String, Value)>) {
    for (id, payload) in resumes {
        session.resume(shared, &id, payload);
    }
}

/// Of the view of a run that was taken before, only answers that are still awaited count.
fn take_answers(session: &mut Session, shared: &mut Shared, news: &News) {
    let News::View(view) = news else { return };
    for message in view.iter().filter(|message| message.role == Role::Tool) {
        let Some(id) = message.tool_call_id.as_deref() else { continue };
        if session.settle_by_view(shared, id, &message.text()) {
            session.enqueue(shared, Trigger::ToolFinished { call: id.to_owned() });
        }
    }
    session.pump(shared);
}
