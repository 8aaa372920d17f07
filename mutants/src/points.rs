//! Points of a source file that can be mutated, and the replacements at each of them.

use std::ops::Range;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Block, Expr, ExprBinary, ExprMethodCall, Signature, Stmt, Type, UnOp};

use crate::cfg::is_off;

/// One replacement of the text of a point.
pub struct Variant {
    /// Kind of operator, such as `boundary` or `swap`.
    pub kind: &'static str,
    /// Text that replaces the point.
    pub text: String,
}

/// How the switch is put around a point.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// An expression: the variants are other expressions.
    Expression,
    /// A statement: its only variant leaves it out.
    Statement,
    /// The begin of a function body: the variants return.
    Body,
}

/// A piece of a file with its variants. Points nest; they are listed in preorder.
pub struct Point {
    pub form: Form,
    pub range: Range<usize>,
    pub line: usize,
    pub variants: Vec<Variant>,
}

/// What one file contributes.
#[derive(Default)]
pub struct Found {
    pub points: Vec<Point>,
    /// Names of modules in files of their own that are not compiled.
    pub modules_off: Vec<String>,
    /// Names of those that are: a module may be declared twice, under opposite conditions.
    pub modules_on: Vec<String>,
}

/// Finds all points of `source`.
pub fn find(source: &str) -> syn::Result<Found> {
    let file = syn::parse_file(source)?;
    let mut finder = Finder { source, found: Found::default() };
    finder.visit_file(&file);
    Ok(finder.found)
}

struct Finder<'a> {
    source: &'a str,
    found: Found,
}

impl Finder<'_> {
    fn text(&self, part: &impl Spanned) -> &str {
        &self.source[part.span().byte_range()]
    }

    fn push(&mut self, form: Form, span: Span, variants: Vec<Variant>) {
        let line = span.start().line;
        self.found.points.push(Point { form, range: span.byte_range(), line, variants });
    }

    fn expression(&mut self, span: Span, variants: Vec<Variant>) {
        if !variants.is_empty() {
            self.push(Form::Expression, span, variants);
        }
    }

    fn binary(&mut self, e: &ExprBinary) {
        if has_let(&e.left) || has_let(&e.right) {
            return;
        }
        let (left, right) = (self.text(&e.left), self.text(&e.right));
        let variants = operators(&e.op)
            .iter()
            .map(|&(kind, op)| {
                let assigns = op.ends_with('=') && !["<=", ">=", "==", "!="].contains(&op);
                let left = if assigns { left.to_owned() } else { format!("({left})") };
                Variant { kind, text: format!("{left} {op} ({right})") }
            })
            .collect();
        self.expression(e.span(), variants);
    }

    fn method(&mut self, e: &ExprMethodCall) {
        let name = e.method.to_string();
        let other = match name.as_str() {
            "min" => "max",
            "max" => "min",
            "next_up" => "next_down",
            "next_down" => "next_up",
            _ => return,
        };
        let whole = e.span().byte_range();
        let name = e.method.span().byte_range();
        let text = [&self.source[whole.start..name.start], other, &self.source[name.end..whole.end]].concat();
        self.expression(e.span(), vec![Variant { kind: "method", text }]);
    }

    fn condition(&mut self, condition: &Expr, values: &[&'static str]) {
        if has_let(condition) {
            return;
        }
        let variants = values.iter().map(|&v| Variant { kind: "condition", text: v.to_owned() }).collect();
        self.expression(condition.span(), variants);
    }

    fn body(&mut self, signature: &Signature, block: &Block) {
        if block.stmts.is_empty() {
            return;
        }
        // A body that is one of these values already is not changed by it.
        let whole = match &block.stmts[..] {
            [Stmt::Expr(value, None)] => Some(&self.source[value.span().byte_range()]),
            _ => None,
        };
        let variants: Vec<Variant> = returned(&signature.output)
            .into_iter()
            .filter(|value| whole != Some(*value))
            .map(|value| Variant { kind: "body", text: format!("return {value};") })
            .collect();
        if variants.is_empty() {
            return;
        }
        let open = block.brace_token.span.open();
        let end = open.byte_range().end;
        let line = open.start().line;
        self.found.points.push(Point { form: Form::Body, range: end..end, line, variants });
    }
}

/// The operators that replace one, each with its kind.
fn operators(op: &BinOp) -> &'static [(&'static str, &'static str)] {
    match op {
        BinOp::Lt(_) => &[("boundary", "<="), ("relation", ">=")],
        BinOp::Le(_) => &[("boundary", "<"), ("relation", ">")],
        BinOp::Gt(_) => &[("boundary", ">="), ("relation", "<=")],
        BinOp::Ge(_) => &[("boundary", ">"), ("relation", "<")],
        BinOp::Eq(_) => &[("relation", "!=")],
        BinOp::Ne(_) => &[("relation", "==")],
        BinOp::And(_) => &[("logic", "||")],
        BinOp::Or(_) => &[("logic", "&&")],
        BinOp::Add(_) => &[("arithmetic", "-")],
        BinOp::Sub(_) => &[("arithmetic", "+")],
        BinOp::Mul(_) => &[("arithmetic", "/")],
        BinOp::Div(_) => &[("arithmetic", "*")],
        BinOp::Rem(_) => &[("arithmetic", "/")],
        BinOp::BitAnd(_) => &[("bits", "|")],
        BinOp::BitOr(_) => &[("bits", "&")],
        BinOp::BitXor(_) => &[("bits", "|")],
        BinOp::Shl(_) => &[("bits", ">>")],
        BinOp::Shr(_) => &[("bits", "<<")],
        BinOp::AddAssign(_) => &[("arithmetic", "-=")],
        BinOp::SubAssign(_) => &[("arithmetic", "+=")],
        BinOp::MulAssign(_) => &[("arithmetic", "/=")],
        BinOp::DivAssign(_) => &[("arithmetic", "*=")],
        BinOp::BitAndAssign(_) => &[("bits", "|=")],
        BinOp::BitOrAssign(_) => &[("bits", "&=")],
        BinOp::BitXorAssign(_) => &[("bits", "|=")],
        BinOp::ShlAssign(_) => &[("bits", ">>=")],
        BinOp::ShrAssign(_) => &[("bits", "<<=")],
        _ => &[],
    }
}

/// Whether a condition is a chain with `let` in it: it must stay the condition itself.
fn has_let(e: &Expr) -> bool {
    match e {
        Expr::Let(_) => true,
        Expr::Binary(e) => has_let(&e.left) || has_let(&e.right),
        Expr::Paren(e) => has_let(&e.expr),
        _ => false,
    }
}

/// Values a function of this type can return in place of its own.
fn returned(output: &syn::ReturnType) -> Vec<&'static str> {
    let syn::ReturnType::Type(_, ty) = output else { return vec![""] };
    let Type::Path(path) = &**ty else {
        return if matches!(&**ty, Type::Tuple(t) if t.elems.is_empty()) { vec![""] } else { Vec::new() };
    };
    let Some(last) = path.path.segments.last() else { return Vec::new() };
    match last.ident.to_string().as_str() {
        "bool" => vec!["true", "false"],
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => {
            vec!["0", "1"]
        }
        "f32" | "f64" => vec!["0.0", "1.0"],
        "Option" => vec!["None"],
        "Vec" => vec!["Vec::new()"],
        "Result" => vec!["Ok(Default::default())"],
        _ => Vec::new(),
    }
}

fn is_call(e: &Expr) -> bool {
    match e {
        Expr::Call(_) | Expr::MethodCall(_) => true,
        Expr::Try(e) => is_call(&e.expr),
        _ => false,
    }
}

fn attributes(e: &Expr) -> &[Attribute] {
    match e {
        Expr::Block(e) => &e.attrs,
        Expr::If(e) => &e.attrs,
        Expr::Call(e) => &e.attrs,
        Expr::MethodCall(e) => &e.attrs,
        Expr::Return(e) => &e.attrs,
        _ => &[],
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attrs = match item {
            syn::Item::Fn(i) => &i.attrs,
            syn::Item::Impl(i) => &i.attrs,
            syn::Item::Trait(i) => &i.attrs,
            syn::Item::Mod(i) => {
                let off = is_off(&i.attrs);
                let modules = if off { &mut self.found.modules_off } else { &mut self.found.modules_on };
                modules.push(i.ident.to_string());
                &i.attrs
            }
            // Constants, types and macros have no code that runs and could be switched.
            _ => return,
        };
        if !is_off(attrs) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_fn(&mut self, f: &'ast syn::ItemFn) {
        if f.sig.constness.is_none() && !is_off(&f.attrs) {
            self.body(&f.sig, &f.block);
            self.visit_block(&f.block);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast syn::ImplItem) {
        if let syn::ImplItem::Fn(f) = item
            && f.sig.constness.is_none()
            && !is_off(&f.attrs)
        {
            self.body(&f.sig, &f.block);
            self.visit_block(&f.block);
        }
    }

    fn visit_trait_item(&mut self, item: &'ast syn::TraitItem) {
        if let syn::TraitItem::Fn(f) = item
            && let Some(block) = &f.default
            && !is_off(&f.attrs)
        {
            self.body(&f.sig, block);
            self.visit_block(block);
        }
    }

    fn visit_stmt(&mut self, stmt: &'ast Stmt) {
        let attrs = match stmt {
            Stmt::Local(local) => &local.attrs[..],
            Stmt::Expr(e, _) => attributes(e),
            _ => &[],
        };
        if is_off(attrs) {
            return;
        }
        if let Stmt::Expr(e, Some(_)) = stmt
            && is_call(e)
        {
            self.push(Form::Statement, stmt.span(), vec![Variant { kind: "call", text: String::new() }]);
        }
        visit::visit_stmt(self, stmt);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if is_off(&arm.attrs) {
            return;
        }
        if let Some((_, guard)) = &arm.guard {
            self.condition(guard, &["true", "false"]);
        }
        visit::visit_arm(self, arm);
    }

    fn visit_expr(&mut self, e: &'ast Expr) {
        if is_off(attributes(e)) {
            return;
        }
        match e {
            Expr::Binary(b) => self.binary(b),
            Expr::Unary(u) if matches!(u.op, UnOp::Not(_) | UnOp::Neg(_)) && !matches!(&*u.expr, Expr::Lit(_)) => {
                let text = self.text(&u.expr).to_owned();
                self.expression(u.span(), vec![Variant { kind: "unary", text }]);
            }
            Expr::MethodCall(m) => self.method(m),
            Expr::If(i) => self.condition(&i.cond, &["true", "false"]),
            Expr::While(w) => self.condition(&w.cond, &["false"]),
            Expr::Repeat(r) => return self.visit_expr(&r.expr),
            Expr::Const(_) => return,
            _ => {}
        }
        visit::visit_expr(self, e);
    }

    // Patterns, types and generic arguments hold constants only.
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_type(&mut self, _: &'ast Type) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}
}
