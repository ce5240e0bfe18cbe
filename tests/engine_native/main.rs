//! The bundled engine against the wire it must speak, one room of it per module.

mod calls;
mod driver;
mod faults;
mod inputs;
mod script;
mod settle;
mod streams;
mod tokens;
mod traces;
