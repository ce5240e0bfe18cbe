//! The part of `data-encoding` that `jsonschema` calls: to decode RFC 4648's alphabets.
//!
//! The real crate has a table and a loop made for speed for each alphabet, forty kilobytes in all. This has one
//! loop, and answers alike: padding is asked for, each block may end by it, and left-over bits are zeros. What
//! differs: an error does not say where.

#![forbid(unsafe_code)]

/// An alphabet.
#[derive(Debug, Clone, Copy)]
pub struct Encoding {
    symbols: &'static [u8],
    /// Bits a symbol stands for.
    bits: u32,
    /// Symbols of a whole block.
    block: usize,
}

/// Base 64.
pub const BASE64: Encoding = Encoding {
    symbols: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    bits: 6,
    block: 4,
};
/// Base 64 for addresses and file names.
pub const BASE64URL: Encoding = Encoding {
    symbols: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
    bits: 6,
    block: 4,
};
/// Base 32.
pub const BASE32: Encoding = Encoding { symbols: b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", bits: 5, block: 8 };
/// Base 32 by the extended alphabet of hexadecimals.
pub const BASE32HEX: Encoding = Encoding { symbols: b"0123456789ABCDEFGHIJKLMNOPQRSTUV", bits: 5, block: 8 };
/// Base 16, in upper case.
pub const HEXUPPER: Encoding = Encoding { symbols: b"0123456789ABCDEF", bits: 4, block: 2 };

/// A text that is not in the alphabet's form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecodeError;

impl Encoding {
    /// The bytes a text stands for.
    ///
    /// # Errors
    /// When the text has an unknown symbol, is cut short, is padded where it must not be, or has bits to spare
    /// that are not zero.
    pub fn decode(&self, text: &[u8]) -> Result<Vec<u8>, DecodeError> {
        let mut bytes = Vec::with_capacity(text.len());
        for block in text.chunks(self.block) {
            let end = block.iter().rposition(|symbol| *symbol != b'=').map_or(0, |last| last + 1);
            let mut held: u32 = 0;
            let mut holds = 0;
            for symbol in &block[..end] {
                let value = self.symbols.iter().position(|known| known == symbol).ok_or(DecodeError)?;
                held = held << self.bits | value as u32;
                holds += self.bits;
                if holds >= 8 {
                    holds -= 8;
                    bytes.push((held >> holds) as u8);
                    held &= (1 << holds) - 1;
                }
            }
            // A symbol none of whose bits was used should have been padding.
            if block.len() < self.block || end == 0 || holds >= self.bits || held != 0 {
                return Err(DecodeError);
            }
        }
        Ok(bytes)
    }
}
