//! Where a setting's value comes from: the default is in `config.default.toml`; the settings file, the environment and the
//! command line override it, in that order. One walk over the command tree applies this to every flag.

use std::path::PathBuf;

use clap::{Arg, ArgAction, Command, builder::BoolishValueParser};
use toml::{Table, Value};

use super::secret;

pub const DEFAULTS: &str = include_str!("../../config.default.toml");

/// Gives every flag in the command tree its environment variable and its default.
pub fn layered(command: Command, arguments: &[String]) -> Result<Command, String> {
    let defaults: Table = DEFAULTS.parse().map_err(|e| format!("config.default.toml: {e}"))?;
    let (path, file) = match file(arguments) {
        Some(path) => {
            let text =
                std::fs::read_to_string(&path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
            let table: Table =
                text.parse().map_err(|e| format!("{} is not valid TOML: {e}", path.display()))?;
            (path, table)
        }
        None => (PathBuf::new(), Table::new()),
    };
    let mut known = Vec::new();
    let command = layer(command, &defaults, &file, &mut known);
    match file.keys().find(|key| !known.contains(key)) {
        Some(key) => Err(format!("unknown setting `{key}` in {}", path.display())),
        None => Ok(command),
    }
}

fn layer(command: Command, defaults: &Table, file: &Table, known: &mut Vec<String>) -> Command {
    let command = command.mut_args(|arg| {
        let arg = secret::readable(arg);
        let Some(key) = arg.get_long().map(|long| long.replace('-', "_")) else { return arg };
        // A flag with a different id, such as `institution update --phone-language`, only shares its name with a setting.
        if arg.get_id().as_str() != key {
            return arg;
        }
        let variable = format!("ENDONYM_{}", key.to_uppercase());
        let is_flag = matches!(arg.get_action(), ArgAction::SetTrue);
        let mut arg: Arg = arg.hide_env_values(true);
        if !is_empty(&variable) {
            arg = arg.env(variable);
        }
        if is_flag {
            arg = arg.value_parser(BoolishValueParser::new());
        }
        let from_file = file.get(&key).map(plain).filter(|value| !value.is_empty());
        // The operator's value may be a secret: do not print it in the help text.
        arg = arg.hide_default_value(from_file.is_some() && !is_flag);
        let built_in = || defaults.get(&key).map(plain).filter(|value| !value.is_empty());
        if let Some(value) = from_file.or_else(built_in) {
            arg = arg.required(false).default_value(value);
        }
        known.push(key);
        arg
    });
    command.mut_subcommands(|sub| layer(sub, defaults, file, known))
}

/// An empty environment variable counts as not set.
#[allow(clippy::disallowed_methods)]
fn is_empty(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| value.is_empty())
}

/// A setting in the form used on the command line.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Boolean(truth) => truth.to_string(),
        Value::Float(number) => number.to_string(),
        // Not valid for any flag; the text makes the error message readable.
        Value::Datetime(_) | Value::Array(_) | Value::Table(_) => format!("{value:?}"),
    }
}

/// Is an OpenTelemetry collector configured? OpenTelemetry's own library reads the remaining variables.
#[allow(clippy::disallowed_methods)]
pub fn traces_wanted() -> bool {
    let variable = |name: &str| std::env::var(name).unwrap_or_default().trim().to_lowercase();
    let endpoint = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];
    endpoint.iter().any(|name| !variable(name).is_empty())
        && variable("OTEL_SDK_DISABLED") != "true"
        && variable("OTEL_TRACES_EXPORTER") != "none"
}

/// The file named by flag or environment, or the first default file that exists.
#[allow(clippy::disallowed_methods)]
fn file(arguments: &[String]) -> Option<PathBuf> {
    let named =
        arguments.iter().enumerate().find_map(|(at, argument)| match argument.strip_prefix("--config") {
            Some("") => arguments.get(at + 1).cloned(),
            Some(rest) => rest.strip_prefix('=').map(str::to_owned),
            None => None,
        });
    let named = named.or_else(|| std::env::var("ENDONYM_CONFIG").ok()).filter(|path| !path.is_empty());
    let usual =
        || ["endonym.toml", "/etc/endonym.toml"].map(PathBuf::from).into_iter().find(|path| path.is_file());
    named.map(PathBuf::from).or_else(usual)
}
