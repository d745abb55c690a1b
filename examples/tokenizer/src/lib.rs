//! A text tokenizer as a torch class, over the crate `tokenizers`. Text travels as a tensor of its UTF-8 bytes, so that a model takes
//! it as an input: with an embedding behind it, one `.pt2` goes from text to logits, in Python, C++ and Rust.
//!
//! ```python
//! import torch
//! torch.ops.load_library("target/release/libtext_ops.so")
//! Tokenizer = torch.classes.text_ops.Tokenizer
//! tokenizer = Tokenizer(open("tokenizer.json").read())   # or Tokenizer.train(["some text", …], vocabulary=1000)
//! text = torch.tensor(list("Hello".encode()), dtype=torch.uint8)
//! ids = torch.ops.text_ops.strip(tokenizer.encode(text), -1)
//! ```
//!
//! How many tokens a text has is known when it is read. The fake of a method gives sizes that torch knows, so `encode` fills the rest
//! up to the number of bytes, and the operator [`strip`], whose fake asks torch for a new size, takes that off.

#![forbid(unsafe_code)]

use tokenizers::decoders::byte_level::ByteLevel;
use tokenizers::models::bpe::{BPE, BpeTrainerBuilder};
use tokenizers::normalizers::NormalizerWrapper;
use tokenizers::{TokenizerBuilder, TokenizerImpl};
use torchop::TensorElement;
use torchop::prelude::*;

/// A tokenizer of the crate `tokenizers`, with all that its JSON says: model, normalizer, added tokens, decoder.
#[torch_class(name = "text_ops::Tokenizer")]
struct Tokenizer {
    inner: tokenizers::Tokenizer,
    /// What `inner` was made from: the state.
    json: String,
}

/// Stands after the last token.
const NO_TOKEN: i64 = -1;

#[torch_class]
impl Tokenizer {
    /// From the text of a `tokenizer.json`.
    #[init]
    fn new(json: &str) -> Result<Self> {
        let inner =
            tokenizers::Tokenizer::from_bytes(json).map_err(|error| Error::value(format!("no tokenizer: {error}")))?;
        Ok(Tokenizer { inner, json: json.to_owned() })
    }

    /// A byte-level BPE tokenizer of at most `vocabulary` tokens (256 of them are the bytes), learned from these texts.
    #[static_method]
    fn train(texts: Vec<&str>, #[torch(default = 1000)] vocabulary: i64) -> Result<Self> {
        let vocabulary = usize::try_from(vocabulary)?;
        let mut trainer = BpeTrainerBuilder::new()
            .vocab_size(vocabulary)
            .show_progress(false)
            .initial_alphabet(ByteLevel::alphabet().into_iter().collect())
            .build();
        let bytes = ByteLevel::new(false, false, true);
        let mut learned: TokenizerImpl<BPE, NormalizerWrapper, ByteLevel, ByteLevel, ByteLevel> =
            TokenizerBuilder::new()
                .with_model(BPE::default())
                .with_normalizer(None)
                .with_pre_tokenizer(Some(bytes))
                .with_post_processor(Some(bytes))
                .with_decoder(Some(bytes))
                .build()
                .map_err(failed)?;
        let json =
            learned.train(&mut trainer, texts.iter()).and_then(|learned| learned.to_string(false)).map_err(failed)?;
        Tokenizer::new(&json)
    }

    #[getstate]
    fn state(&self) -> String {
        self.json.clone()
    }

    #[setstate]
    fn from_state(json: &str) -> Result<Self> {
        Tokenizer::new(json)
    }

    /// Tracing needs to know which tokenizer it is, and nothing of what it does.
    #[flatten]
    fn flat(&self) -> String {
        self.json.clone()
    }

    #[unflatten]
    fn unflat(json: &str) -> Result<Self> {
        Tokenizer::new(json)
    }

    /// The tokens of a text: `text` is its UTF-8 in a uint8 tensor of one dimension; int64, as many as there are bytes, with -1 after
    /// the last token.
    fn encode(&self, text: &Tensor) -> Result<Tensor> {
        let bytes = text.contiguous()?;
        let bytes = bytes.as_slice::<u8>()?;
        one_dimension(text)?;
        let words =
            std::str::from_utf8(&bytes).map_err(|error| Error::value(format!("the text is no UTF-8: {error}")))?;
        let encoding = self.inner.encode_fast(words, false).map_err(failed)?;
        let mut ids: Vec<i64> = encoding.get_ids().iter().map(|id| i64::from(*id)).collect();
        if ids.len() > bytes.len() {
            return Err(Error::value(format!(
                "{} tokens for {} bytes: this tokenizer makes text longer",
                ids.len(),
                bytes.len()
            )));
        }
        ids.resize(bytes.len(), NO_TOKEN);
        let sizes = [ids.len() as i64];
        Tensor::from_vec(ids, &sizes)
    }

    #[fake(encode)]
    fn encode_fake(&self, text: &FakeTensor) -> Result<FakeTensor> {
        text.new_empty_with_dtype(&text.sym_sizes()?, DType::Int64)
    }

    /// The text of tokens: uint8, `length` bytes, with zeros after the text. Tokens of -1 stand for nothing.
    fn decode(&self, ids: &Tensor, length: i64) -> Result<Tensor> {
        one_dimension(ids)?;
        let ids = ids.contiguous()?;
        let ids = ids.as_slice::<i64>()?;
        let known = ids.iter().filter(|id| **id != NO_TOKEN).map(|id| self.known(*id));
        let known = known.collect::<Result<Vec<_>>>()?;
        let text = self.inner.decode(&known, false).map_err(failed)?;
        if text.len() as i64 > length {
            return Err(Error::value(format!("the text has {} bytes, `length` is {length}", text.len())));
        }
        // Torch's memory: where there is not as much, that is an error, and no end of the process.
        let mut bytes = Tensor::zeros(&[length], DType::UInt8)?;
        bytes.as_slice_mut::<u8>()?[..text.len()].copy_from_slice(text.as_bytes());
        Ok(bytes)
    }

    #[fake(decode)]
    fn decode_fake(&self, ids: &FakeTensor, length: i64) -> Result<FakeTensor> {
        ids.new_empty_with_dtype(&[length.into()], DType::UInt8)
    }

    /// How many tokens there are.
    #[getter]
    fn vocabulary(&self) -> i64 {
        self.inner.get_vocab_size(true) as i64
    }

    /// The number of a token; `None` if there is none of that name.
    fn token(&self, text: &str) -> Option<i64> {
        self.inner.token_to_id(text).map(i64::from)
    }
}

impl Tokenizer {
    /// The number of a token that there is; the crate leaves out those that there are not.
    fn known(&self, id: i64) -> Result<u32> {
        u32::try_from(id)
            .ok()
            .filter(|id| self.inner.id_to_token(*id).is_some())
            .ok_or_else(|| Error::value(format!("expected tokens, or -1, in `ids`, got {id}, which is none")))
    }
}

/// A copy without the elements at the end that equal `padding`.
#[torch_op(schema = "text_ops::strip(Tensor padded, int padding) -> Tensor", cpu, nondifferentiable)]
pub fn strip(padded: &Tensor, padding: i64) -> Result<Tensor> {
    one_dimension(padded)?;
    let padded = padded.contiguous()?;
    dispatch!(padded.dtype()?, [i64, u8], T => stripped::<T>(&padded, padding))
}

fn stripped<T: TensorElement + PartialEq + TryFrom<i64>>(padded: &Tensor, padding: i64) -> Result<Tensor> {
    let padding = T::try_from(padding).ok();
    let values = padded.as_slice::<T>()?;
    let kept = values.iter().rposition(|value| Some(*value) != padding).map_or(0, |last| last + 1);
    Tensor::from_slice(&values[..kept], &[kept as i64])
}

#[torch_op(fake_of = strip)]
fn strip_fake(padded: &FakeTensor, _padding: i64, #[torch(dynamic)] kept: SymInt) -> Result<FakeTensor> {
    padded.new_empty(&[kept])
}

fn one_dimension(x: &Tensor) -> Result<()> {
    match x.dim()? {
        1 => Ok(()),
        found => Err(Error::value(format!("expected a tensor of 1 dimension, got {found}"))),
    }
}

fn failed(error: tokenizers::Error) -> Error {
    Error::value(error.to_string())
}
