import { Argument, Command as Program, CommanderError, Help, InvalidArgumentError, Option } from 'commander';
import { type Command, CommandInput } from './command.js';
import { explained } from './command-errors.js';
import type { CommandEntry, CommandTable } from './command-table.js';
import { OUTPUT_FORMATS, type OutputFormat } from './context.js';
import { UsageError } from './failures.js';
import { filled } from './option-values.js';
import { version } from './version.js';

/** A parsed command line. */
export interface Invocation {
  readonly name: string;
  readonly command: Command;
  readonly input: CommandInput;
  readonly apiUrl: string | undefined;
  readonly project: string | undefined;
  readonly output: OutputFormat;
  /** Fields of the JSON to print; absent: all. */
  readonly fields: readonly string[] | undefined;
  /** An expression of jq for the JSON. */
  readonly jq: string | undefined;
}

export interface HelpStyle {
  /** Width of the text in columns. */
  readonly width: number;
  /** Formats a heading. */
  readonly heading: (text: string) => string;
  readonly write: (text: string) => void;
}

interface GlobalOptions {
  readonly apiUrl?: string;
  readonly project?: string;
  readonly output: OutputFormat;
  readonly json?: readonly string[];
  readonly jq?: string;
}

const PROGRAM_HELP = `Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 not logged in, 4 the service can't be reached,
5 the awaited run did not succeed.
Every command has --help with examples. SERVICE_API_KEY replaces a login.`;

const PLAIN: HelpStyle = { width: 100, heading: (text) => text, write: () => undefined };

/**
 * Parses a command line, and loads only its command.
 *
 * @param argv without the program's name
 * @returns undefined if help or the version was requested, and has been written
 * @throws UsageError
 */
export async function readCommandLine(
  argv: readonly string[],
  table: CommandTable,
  style: HelpStyle = PLAIN,
): Promise<Invocation | undefined> {
  const reading = new Reading(table, style);
  try {
    await reading.program.parseAsync(withHelpAsOption(argv), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw new UsageError(explained(error, reading.program, reading.reached));
  }
  return reading.invocation;
}

/** Commander's program for one command line. */
class Reading {
  readonly program: Program;
  invocation: Invocation | undefined;
  /** The command to which the words have led so far. */
  reached: Program;
  private readonly groups = new Map<string, Program>();

  constructor(
    private readonly table: CommandTable,
    private readonly style: HelpStyle,
  ) {
    this.program = createProgram(style);
    this.reached = this.program;
    for (const entry of table.commands) this.add(entry);
  }

  private add(entry: CommandEntry): void {
    const words = entry.name.split(' ');
    const parent = words.length === 1 ? this.program : this.group(words[0]!);
    const leaf = parent
      .command(words.at(-1)!, { hidden: entry.isHidden ?? false })
      .description(entry.summary);
    if (entry.synonym !== undefined) leaf.alias(entry.synonym);
    parent.hook('preSubcommand', async ({ args: [, next] }, chosen) => {
      this.reached = chosen;
      // the options after `run install` are those of that command, and not of `run`
      const leadsOn = leaf.commands.some((it) => [it.name(), ...it.aliases()].includes(next!));
      if (chosen === leaf && !leadsOn) await this.prepare(leaf, entry);
    });
  }

  private group(name: string): Program {
    const known = this.groups.get(name);
    if (known) return known;
    const command = this.program.commands.find((it) => it.name() === name);
    if (command) {
      this.groups.set(name, command.helpCommand(false));
      return command;
    }
    const group = this.program.command(name).description(this.table.groups[name]!).helpCommand(false);
    this.groups.set(name, group);
    return group;
  }

  private async prepare(leaf: Program, { name, load }: CommandEntry): Promise<void> {
    const { command } = await load();
    declare(leaf, command, this.style);
    leaf.action(() => {
      const { apiUrl, project, output, json: fields, jq } = this.program.opts<GlobalOptions>();
      const isTable = output === 'table' || output === 'wide';
      const format = jq !== undefined || (fields && isTable) ? 'json' : output;
      this.invocation = { name, command, input: inputOf(leaf), apiUrl, project, output: format, fields, jq };
    });
  }
}

function createProgram(style: HelpStyle): Program {
  return new Program('svc')
    .description('The command line of the agent control plane: agents, deployments, runs, keys and webhooks.')
    .version(version, '-V, --version', 'print the version')
    .option(
      '--api-url <address>',
      'the address of the service (default: SERVICE_API_URL, then the config file)',
    )
    .addOption(
      new Option('--project <project>', 'the project, by name or id; all: all of your projects').argParser(
        asCommanderParser(filled),
      ),
    )
    .addOption(
      new Option('-o, --output <format>', 'the output format').choices(OUTPUT_FORMATS).default('table'),
    )
    .addOption(
      new Option('--json <fields>', 'show these fields as JSON: id,name').argParser(
        asCommanderParser(fieldNames),
      ),
    )
    .addOption(new Option('--jq <expression>', 'filter the JSON with jq'))
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: style.write, writeErr: () => undefined })
    .configureHelp({ helpWidth: style.width, styleTitle: style.heading, showGlobalOptions: true })
    .addHelpText('after', `\n${PROGRAM_HELP}`);
}

function declare(leaf: Program, command: Command, style: HelpStyle): void {
  for (const { name, description, isOptional, isRepeatable, choices, parse } of command.arguments ?? []) {
    const shown = isRepeatable ? `${name}...` : name;
    const argument = new Argument(isOptional ? `[${shown}]` : `<${shown}>`, description);
    if (choices) argument.choices(choices);
    if (parse && isRepeatable) argument.argParser(asListParser(parse));
    else if (parse) argument.argParser(asCommanderParser(parse));
    leaf.addArgument(argument);
  }
  for (const { flags, description, choices, isRepeatable, parse } of command.options ?? []) {
    const option = new Option(flags, description);
    if (choices) option.choices(choices);
    if (parse) option.argParser(asCommanderParser(parse));
    if (isRepeatable) {
      const { parseArg: check } = option;
      option.argParser((text: string, before?: string[]) => [...(before ?? []), check?.(text, text) ?? text]);
    }
    leaf.addOption(option);
  }
  leaf.addHelpText('after', () => helpAfterOptions(command, style));
}

function helpAfterOptions({ details, examples }: Command, { heading, width }: HelpStyle): string {
  const shown = examples.map(({ command, explanation }) => `  $ svc ${command}\n      ${explanation}`);
  const text = details === undefined ? '' : `\n${new Help().boxWrap(details, width)}\n`;
  return `${text}\n${heading('Examples:')}\n${shown.join('\n')}`;
}

function asCommanderParser(parse: (text: string) => unknown): (text: string) => unknown {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      throw error instanceof UsageError ? new InvalidArgumentError(error.message) : error;
    }
  };
}

function asListParser(parse: (text: string) => unknown): (text: string, before?: unknown[]) => unknown[] {
  const parser = asCommanderParser(parse);
  return (text, before = []) => [...before, parser(text)];
}

function fieldNames(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.every((name) => name !== '')) return names;
  throw new UsageError('It must be field names separated by commas, such as id,name');
}

function inputOf(leaf: Program): CommandInput {
  const options = leaf.options.map(
    // `--no-browser` is the option `browser`, whose default is true
    (option) =>
      [
        option.long!.replace(option.negate ? /^--no-/ : /^--/, ''),
        leaf.getOptionValue(option.attributeName()),
      ] as const,
  );
  const values = leaf.registeredArguments.map(
    (argument, index) => [argument.name(), leaf.processedArgs[index] as unknown] as const,
  );
  return new CommandInput(new Map(values), new Map(options));
}

/** `svc help agents list` becomes `svc agents list --help`, and `svc` alone prints help too. */
function withHelpAsOption(argv: readonly string[]): string[] {
  if (argv.length === 0) return ['--help'];
  return argv[0] === 'help' ? [...argv.slice(1), '--help'] : [...argv];
}
