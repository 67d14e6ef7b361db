import { createHash } from 'node:crypto';
import { canonicalJson } from '@agent-control-plane/client/internal/runtime/canonical-json';
import type { ProcessConfig } from '../processes/process-config.js';
import { matchesName, matchesPath, splitPattern } from './path-pattern.js';
import { type Surroundings, walked, walkToProgram } from './program-path.js';
import type { CommandRule, RunPolicy } from './run-policy.js';
import type { WalkedPath } from './walked-path.js';

/** An account under which processes run. */
export interface Account {
  readonly uid: number;
  readonly name: string;
  /** The account's home directory, in which its processes start; absent: the runner's own directory. */
  readonly home?: string;
}

/** The request of the service. */
export interface AskedWork {
  /** The agent's config, parsed. */
  readonly config: unknown;
  readonly process: ProcessConfig;
  readonly replicas: number;
}

/** The directory and the account of a process that would be started. */
export interface Place extends Surroundings {
  readonly account: Account;
  /** Accounts that may replace a program. */
  readonly trusted: ReadonlySet<number>;
}

const LONGEST_NAME = 120;
const MOST_NAMES = 5;

/** Hash of a config, over its canonical JSON (RFC 8785). */
export function hashOfConfig(config: unknown): string {
  return createHash('sha256').update(canonicalJson(config)).digest('hex');
}

/**
 * Sentences about the rules that are against it, none of which has a value of the config that may be a secret: no argument, no
 * variable's value, and no hash, from which a short secret could be found by trying.
 */
export function refusalsOf(policy: RunPolicy, asked: AskedWork, place: Place): string[] {
  return [...limitRefusals(policy, asked, place.account), ...placeRefusals(policy, asked.process, place)];
}

/** The rule that needs no config. */
export function accountRefusals({ users }: RunPolicy, { name, uid }: Account): string[] {
  const isAllowed = !users || users.includes(name) || users.includes(String(uid));
  return isAllowed ? [] : [`users has no ${quoted(name)}`];
}

function limitRefusals(
  policy: RunPolicy,
  { config, process, replicas }: AskedWork,
  account: Account,
): string[] {
  const { configs, max_replicas: mostReplicas, max_concurrency: mostRuns } = policy;
  const concurrency = process.run?.concurrency ?? 0;
  return [
    ...(configs && !configs.includes(hashOfConfig(config))
      ? ['configs has not the hash of this config']
      : []),
    ...accountRefusals(policy, account),
    ...(mostReplicas !== undefined && replicas > mostReplicas
      ? [`max_replicas is ${mostReplicas}, and ${replicas} are asked for`]
      : []),
    ...(mostRuns !== undefined && concurrency > mostRuns
      ? [`max_concurrency is ${mostRuns}, and config.run.concurrency is ${concurrency}`]
      : []),
  ];
}

/** `commands` alone would allow everything: variables say what a program loads, and so does the directory that it starts in. */
function placeRefusals(
  { commands, environment, directories }: RunPolicy,
  process: ProcessConfig,
  place: Place,
) {
  const variables = environment ?? (commands && []);
  const refused = Object.keys(process.env).filter((name) => !variables?.some((it) => matchesName(it, name)));
  const isIn = (directory: string) => {
    const top = walked(directory, place.trusted)?.file;
    return top !== undefined && (top === '/' || `${place.cwd}/`.startsWith(`${top}/`));
  };
  const isElsewhere = process.cwd !== undefined && !(directories ?? (commands && []))?.some(isIn);
  return [
    ...(variables && refused.length > 0
      ? [`${environment ? 'environment' : 'environment, which is not there,'} allows no ${listed(refused)}`]
      : []),
    ...((directories ?? commands) && isElsewhere
      ? [
          `${directories ? 'directories' : 'directories, which is not there,'} does not hold ${quoted(process.cwd)}`,
        ]
      : []),
  ];
}

/** Why a command may not be started, or the file that is to be started as its program. */
export function judgeCommand(
  rules: readonly CommandRule[],
  [name, ...given]: ProcessConfig['command'],
  place: Place,
): { readonly refusal: string } | { readonly program: string } {
  const program = walkToProgram(name, place, place.trusted);
  if (!program?.stat.isFile()) return { refusal: `commands: ${quoted(name)} is not there` };
  const { named, file, weakness } = program;
  const matches = rules.map((rule) => matchOf(rule, program, given, place));
  const what = named === name ? quoted(name) : `${quoted(name)}, which is ${quoted(named)},`;
  if (matches.includes('all'))
    return weakness === undefined
      ? { program: named }
      : { refusal: `commands allows ${what} but others can replace it: ${escaped(weakness)}` };
  if (matches.includes('program')) return { refusal: `commands allows ${what} with other arguments only` };
  const link = matches.includes('link') ? `; it is a link to ${quoted(file)}` : '';
  return { refusal: `commands does not allow ${what}${link}`.replace(/,$/, '') };
}

/**
 * `link`: the path matches, and its target does not. A program is compared by the path that the rule names, not by
 * the file in the end: /bin/ls and /bin/sh may be links to one file.
 */
function matchOf(
  rule: CommandRule,
  { named, file }: WalkedPath,
  given: readonly string[],
  { trusted }: Place,
): 'none' | 'link' | 'program' | 'all' {
  if (rule.kind === 'arguments') {
    const [program, ...first] = rule.command;
    if (walked(program, trusted)?.named !== named) return 'none';
    return first.every((it, index) => given[index] === it) ? 'all' : 'program';
  }
  const { directory, rest } = splitPattern(rule.pattern);
  const top = walked(directory, trusted)?.file;
  const isIn = (path: string) => {
    const prefix = top === '/' ? '/' : `${top}/`;
    return (
      top !== undefined && path.startsWith(prefix) && matchesPath(rest, path.slice(prefix.length).split('/'))
    );
  };
  if (!isIn(named)) return 'none';
  return isIn(file) ? 'all' : 'link';
}

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return names.slice(0, MOST_NAMES).map(quoted).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function quoted(text = ''): string {
  return escaped(JSON.stringify(text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME)}…` : text));
}

/** Letters beyond ASCII show as their numbers: two names may look the same. */
function escaped(text: string): string {
  return text.replace(/[^ -~]/g, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
