//! Keys by their names: `Enter`, `a`, `Control+Shift+K`, as the events of a keyboard tell them.

/// One key with what is held while it goes down.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Chord {
    /// As `KeyboardEvent.key`: `Enter`, `a`, `A`.
    pub key: String,
    /// As `KeyboardEvent.code`: `Enter`, `KeyA`; empty where no key of a common keyboard makes it.
    pub code: String,
    /// The old number of the key, which many pages still read.
    pub key_code: u32,
    /// Control is held.
    pub control: bool,
    /// Shift is held.
    pub shift: bool,
    /// Alt is held.
    pub alt: bool,
    /// The command or Windows key is held.
    pub meta: bool,
}

const NAMED: &[(&str, u32)] = &[
    ("Backspace", 8),
    ("Tab", 9),
    ("Enter", 13),
    ("Escape", 27),
    ("PageUp", 33),
    ("PageDown", 34),
    ("End", 35),
    ("Home", 36),
    ("ArrowLeft", 37),
    ("ArrowUp", 38),
    ("ArrowRight", 39),
    ("ArrowDown", 40),
    ("Insert", 45),
    ("Delete", 46),
    ("F1", 112),
    ("F2", 113),
    ("F3", 114),
    ("F4", 115),
    ("F5", 116),
    ("F6", 117),
    ("F7", 118),
    ("F8", 119),
    ("F9", 120),
    ("F10", 121),
    ("F11", 122),
    ("F12", 123),
];

/// Reads a chord.
///
/// # Errors
/// A sentence that names what is no key.
pub fn read(text: &str) -> Result<Chord, String> {
    let mut chord = Chord::default();
    let mut rest = text;
    while let Some((held, after)) =
        rest.split_once('+').filter(|(held, after)| !held.is_empty() && !after.is_empty())
    {
        match held.to_ascii_lowercase().as_str() {
            "control" | "ctrl" => chord.control = true,
            "shift" => chord.shift = true,
            "alt" | "option" => chord.alt = true,
            "meta" | "command" | "cmd" => chord.meta = true,
            _ => {
                return Err(format!(
                    "\"{held}\" is no key that can be held: Control, Shift, Alt and Meta are"
                ));
            }
        }
        rest = after;
    }
    key(rest, &mut chord)?;
    Ok(chord)
}

fn key(name: &str, chord: &mut Chord) -> Result<(), String> {
    let mut characters = name.chars();
    if let (Some(one), None) = (characters.next(), characters.next()) {
        single(one, chord);
        return Ok(());
    }
    let lower = name.to_ascii_lowercase();
    let usual = match lower.as_str() {
        "space" | "spacebar" => {
            single(' ', chord);
            return Ok(());
        }
        "esc" => "escape",
        "return" => "enter",
        "del" => "delete",
        "left" => "arrowleft",
        "right" => "arrowright",
        "up" => "arrowup",
        "down" => "arrowdown",
        other => other,
    };
    match NAMED.iter().find(|(known, _)| known.eq_ignore_ascii_case(usual)) {
        Some((known, number)) => {
            chord.key = (*known).to_owned();
            chord.code = (*known).to_owned();
            chord.key_code = *number;
            Ok(())
        }
        None => Err(format!(
            "\"{name}\" is no key: give one character, or a name such as Enter, Tab, Escape, ArrowDown, Backspace, Home, F2"
        )),
    }
}

fn single(one: char, chord: &mut Chord) {
    let shown = if chord.shift { one.to_ascii_uppercase() } else { one };
    chord.shift |= one.is_ascii_uppercase();
    chord.key = shown.to_string();
    (chord.code, chord.key_code) = match one.to_ascii_uppercase() {
        letter @ 'A'..='Z' => (format!("Key{letter}"), letter as u32),
        digit @ '0'..='9' => (format!("Digit{digit}"), digit as u32),
        ' ' => ("Space".to_owned(), 32),
        _ => (String::new(), 0),
    };
}

impl Chord {
    /// What the key writes, if it writes.
    #[must_use]
    pub fn writes(&self) -> Option<&str> {
        let one = self.key.chars().count() == 1;
        if one && !self.control && !self.meta && !self.alt { Some(&self.key) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_as_a_keyboard_tells_them() {
        let seen = |text: &str| {
            let chord = read(text).unwrap();
            (chord.key, chord.code, chord.key_code)
        };
        assert_eq!(seen("Enter"), ("Enter".into(), "Enter".into(), 13));
        assert_eq!(seen("esc"), ("Escape".into(), "Escape".into(), 27));
        assert_eq!(seen("a"), ("a".into(), "KeyA".into(), 65));
        assert_eq!(seen("Shift+a"), ("A".into(), "KeyA".into(), 65));
        assert_eq!(seen("Space"), (" ".into(), "Space".into(), 32));
        assert_eq!(seen("+"), ("+".into(), String::new(), 0));
        assert_eq!(seen("Control++").0, "+");
        assert_eq!(seen("é").0, "é");
    }

    #[test]
    fn held_keys_write_nothing() {
        assert!(read("ctrl+A").unwrap().writes().is_none());
        assert_eq!(read("A").unwrap().writes(), Some("A"));
        assert!(read("A").unwrap().shift);
        assert!(read("Tab").unwrap().writes().is_none());
    }

    #[test]
    fn what_is_no_key_is_named() {
        assert!(read("Fly+a").unwrap_err().contains("\"Fly\""));
        assert!(read("Entr").unwrap_err().contains("\"Entr\""));
        assert!(read("").is_err());
    }
}
