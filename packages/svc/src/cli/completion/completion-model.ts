import { Option } from 'commander';
import type {
  CommandArgument,
  CommandOption,
  NamedKind,
  Outline,
  OutlinedCommand,
} from '../command-declaration.js';
import { OUTPUT_FORMATS } from '../context.js';

/** The words and options that can follow after some words of a command line. */
export interface CompletionNode {
  /** Words so far: `agents list`; empty at the beginning. */
  readonly path: string;
  /** The possible next words. */
  readonly words: readonly { readonly word: string; readonly summary: string }[];
  readonly options: readonly CompletionOption[];
  /** The choices of the first argument, if it has any. */
  readonly choices: readonly string[];
  /** For each argument the kind of resource whose names complete it; the last one counts for all further arguments. */
  readonly arguments: readonly (NamedKind | undefined)[];
}

export interface CompletionOption {
  /** Long name, without dashes. */
  readonly long: string;
  readonly short: string | undefined;
  readonly description: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
  readonly completes: NamedKind | undefined;
}

const EVERYWHERE: readonly CommandOption[] = [
  { flags: '--api-url <address>', description: 'where the service is' },
  { flags: '--project <project>', description: 'the project, by name or id', completes: 'project' },
  { flags: '-o, --output <format>', description: 'the output format', choices: OUTPUT_FORMATS },
  { flags: '--json <fields>', description: 'show these fields as JSON' },
  { flags: '--jq <expression>', description: 'filter the JSON with jq' },
  { flags: '-h, --help', description: 'show help' },
];

/** Every position in a command line that can be completed. */
export function completionNodes({ groups, commands }: Outline): CompletionNode[] {
  const singles = commands.filter(({ name }) => !name.includes(' '));
  const first = [
    ...singles.map(({ name, summary }) => ({ word: name, summary })),
    ...Object.entries(groups).map(([word, summary]) => ({ word, summary })),
  ];
  const everywhere = EVERYWHERE.map(asCompletion);
  const nothing = { choices: [], arguments: [] };
  const root = { path: '', words: first, options: everywhere, ...nothing };
  const wordsAfter = (path: string) =>
    commands
      .filter(({ name }) => name.startsWith(`${path} `))
      .map(({ name, summary }) => ({ word: name.slice(path.length + 1), summary }));
  const ofGroups = Object.keys(groups).map((group) => ({
    path: group,
    words: wordsAfter(group),
    options: everywhere,
    ...nothing,
  }));
  return [
    root,
    ...ofGroups,
    ...commands
      .flatMap((command) => [command, ...bySynonym(command)])
      .map((command) => ({ ...leaf(command, everywhere), words: wordsAfter(command.name) })),
  ];
}

function bySynonym(command: OutlinedCommand): OutlinedCommand[] {
  const { name, synonym } = command;
  return synonym === undefined
    ? []
    : [{ ...command, name: [...name.split(' ').slice(0, -1), synonym].join(' ') }];
}

function leaf(
  command: OutlinedCommand,
  everywhere: readonly CompletionOption[],
): Omit<CompletionNode, 'words'> {
  return {
    path: command.name,
    options: [...(command.options ?? []).map(asCompletion), ...everywhere],
    choices: command.arguments?.[0]?.choices ?? [],
    arguments: argumentKinds(command.arguments ?? []),
  };
}

/** A kind for each argument, and at the end none, unless the last argument may be repeated. */
function argumentKinds(named: readonly CommandArgument[]): CompletionNode['arguments'] {
  const kinds = named.map(({ completes }) => completes);
  return kinds.every((kind) => kind === undefined) || named.at(-1)?.isRepeatable
    ? kinds
    : [...kinds, undefined];
}

function asCompletion({ flags, description, choices = [], completes }: CommandOption): CompletionOption {
  const { long, short, required } = new Option(flags);
  return {
    long: long!.slice(2),
    short: short?.slice(1),
    description,
    takesValue: required,
    choices,
    completes,
  };
}

/** The spellings of an option: `--status` and `-o`. */
export function spellings({ long, short }: CompletionOption): string[] {
  return [`--${long}`, ...(short === undefined ? [] : [`-${short}`])];
}

/** Every spelling of all options that take a value. */
export function valueOptions(nodes: readonly CompletionNode[]): string[] {
  const taking = nodes.flatMap(({ options }) => options.filter(({ takesValue }) => takesValue));
  return [...new Set(taking.flatMap(spellings))].sort();
}
