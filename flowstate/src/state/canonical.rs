//! Same-value equality over anything that serialises.

use std::fmt::{self, Display, Write};

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

/// Whether two values are the same, as state sees it: by what they serialise to.
///
/// `NaN` is the same as `NaN`, `0.0` is not the same as `-0.0`, and the entries of a map have no
/// order. A sequence does have one, and serde writes a `HashSet` as a sequence. A value that fails
/// to serialise is the same as nothing, itself included.
pub(super) fn same<T: Serialize + ?Sized>(a: &T, b: &T) -> bool {
    match (encode(a), encode(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, fmt::Error> {
    let mut encoder = Encoder(Vec::new());
    value.serialize(&mut encoder)?;
    Ok(encoder.0)
}

/// Opens every encoded value, so that each value shows where it ends and concatenation is unambiguous.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Tag {
    End,
    Bool,
    I8,
    I16,
    I32,
    I64,
    I128,
    U8,
    U16,
    U32,
    U64,
    U128,
    F32,
    F64,
    Char,
    Str,
    Bytes,
    None,
    Some,
    Unit,
    UnitStruct,
    UnitVariant,
    NewtypeVariant,
    Seq,
    Tuple,
    TupleStruct,
    TupleVariant,
    Map,
    Struct,
    StructVariant,
}

struct Encoder(Vec<u8>);

impl Encoder {
    fn tag(&mut self, tag: Tag) {
        self.0.push(tag as u8);
    }

    fn fixed(&mut self, tag: Tag, bytes: &[u8]) {
        self.tag(tag);
        self.0.extend_from_slice(bytes);
    }

    fn sized(&mut self, tag: Tag, bytes: &[u8]) {
        self.fixed(tag, &bytes.len().to_le_bytes());
        self.0.extend_from_slice(bytes);
    }

    fn variant(&mut self, tag: Tag, name: &str, index: u32, variant: &str) {
        self.sized(tag, name.as_bytes());
        self.0.extend_from_slice(&index.to_le_bytes());
        self.sized(Tag::Str, variant.as_bytes());
    }
}

macro_rules! integers {
    ($($method:ident: $int:ty => $tag:ident,)*) => {$(
        fn $method(self, v: $int) -> Result<(), fmt::Error> {
            self.fixed(Tag::$tag, &v.to_le_bytes());
            Ok(())
        }
    )*};
}

impl<'a> Serializer for &'a mut Encoder {
    type Ok = ();
    type Error = fmt::Error;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Entries<'a>;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    integers! {
        serialize_i8: i8 => I8,
        serialize_i16: i16 => I16,
        serialize_i32: i32 => I32,
        serialize_i64: i64 => I64,
        serialize_i128: i128 => I128,
        serialize_u8: u8 => U8,
        serialize_u16: u16 => U16,
        serialize_u32: u32 => U32,
        serialize_u64: u64 => U64,
        serialize_u128: u128 => U128,
    }

    fn serialize_bool(self, v: bool) -> Result<(), fmt::Error> {
        self.fixed(Tag::Bool, &[u8::from(v)]);
        Ok(())
    }

    fn serialize_f32(self, v: f32) -> Result<(), fmt::Error> {
        let v = if v.is_nan() { f32::NAN } else { v };
        self.fixed(Tag::F32, &v.to_le_bytes());
        Ok(())
    }

    fn serialize_f64(self, v: f64) -> Result<(), fmt::Error> {
        let v = if v.is_nan() { f64::NAN } else { v };
        self.fixed(Tag::F64, &v.to_le_bytes());
        Ok(())
    }

    fn serialize_char(self, v: char) -> Result<(), fmt::Error> {
        self.fixed(Tag::Char, &u32::from(v).to_le_bytes());
        Ok(())
    }

    fn serialize_str(self, v: &str) -> Result<(), fmt::Error> {
        self.sized(Tag::Str, v.as_bytes());
        Ok(())
    }

    fn serialize_bytes(self, v: &[u8]) -> Result<(), fmt::Error> {
        self.sized(Tag::Bytes, v);
        Ok(())
    }

    // The provided method panics when `Display` fails.
    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<(), fmt::Error> {
        let mut text = String::new();
        write!(text, "{value}")?;
        self.serialize_str(&text)
    }

    fn serialize_none(self) -> Result<(), fmt::Error> {
        self.tag(Tag::None);
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), fmt::Error> {
        self.tag(Tag::Some);
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), fmt::Error> {
        self.tag(Tag::Unit);
        Ok(())
    }

    fn serialize_unit_struct(self, name: &'static str) -> Result<(), fmt::Error> {
        self.sized(Tag::UnitStruct, name.as_bytes());
        Ok(())
    }

    fn serialize_unit_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
    ) -> Result<(), fmt::Error> {
        self.variant(Tag::UnitVariant, name, index, variant);
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), fmt::Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), fmt::Error> {
        self.variant(Tag::NewtypeVariant, name, index, variant);
        value.serialize(self)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, fmt::Error> {
        self.tag(Tag::Seq);
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, fmt::Error> {
        self.tag(Tag::Tuple);
        Ok(self)
    }

    fn serialize_tuple_struct(self, name: &'static str, _: usize) -> Result<Self, fmt::Error> {
        self.sized(Tag::TupleStruct, name.as_bytes());
        Ok(self)
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self, fmt::Error> {
        self.variant(Tag::TupleVariant, name, index, variant);
        Ok(self)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Entries<'a>, fmt::Error> {
        self.tag(Tag::Map);
        Ok(Entries { bounds: vec![self.0.len()], encoder: self, keyed: false })
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Self, fmt::Error> {
        self.sized(Tag::Struct, name.as_bytes());
        Ok(self)
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self, fmt::Error> {
        self.variant(Tag::StructVariant, name, index, variant);
        Ok(self)
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

macro_rules! in_order {
    ($($compound:ident: $method:ident($($key:ident)?),)*) => {$(
        impl $compound for &mut Encoder {
            type Ok = ();
            type Error = fmt::Error;

            fn $method<T: Serialize + ?Sized>(
                &mut self,
                $($key: &'static str,)?
                value: &T,
            ) -> Result<(), fmt::Error> {
                $(self.sized(Tag::Str, $key.as_bytes());)?
                value.serialize(&mut **self)
            }

            fn end(self) -> Result<(), fmt::Error> {
                self.tag(Tag::End);
                Ok(())
            }
        }
    )*};
}

in_order! {
    SerializeSeq: serialize_element(),
    SerializeTuple: serialize_element(),
    SerializeTupleStruct: serialize_field(),
    SerializeTupleVariant: serialize_field(),
    SerializeStruct: serialize_field(key),
    SerializeStructVariant: serialize_field(key),
}

/// The entries of one map, encoded in place and sorted once all are there.
struct Entries<'a> {
    encoder: &'a mut Encoder,
    bounds: Vec<usize>,
    keyed: bool,
}

impl SerializeMap for Entries<'_> {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), fmt::Error> {
        if self.keyed {
            return Err(fmt::Error);
        }
        self.keyed = true;
        key.serialize(&mut *self.encoder)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), fmt::Error> {
        if !self.keyed {
            return Err(fmt::Error);
        }
        self.keyed = false;
        value.serialize(&mut *self.encoder)?;
        self.bounds.push(self.encoder.0.len());
        Ok(())
    }

    fn end(self) -> Result<(), fmt::Error> {
        if self.keyed {
            return Err(fmt::Error);
        }
        let encoded = &mut self.encoder.0;
        let mut entries: Vec<&[u8]> =
            self.bounds.array_windows().map(|&[start, end]| &encoded[start..end]).collect();
        entries.sort_unstable();
        let sorted = entries.concat();
        encoded.truncate(encoded.len() - sorted.len());
        encoded.extend(sorted);
        self.encoder.tag(Tag::End);
        Ok(())
    }
}
