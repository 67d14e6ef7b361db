import type { Outline } from './command-declaration.js';
import type { Command } from './command.js';

/** A command before it is loaded: the text in the overview, and its loader. */
export interface CommandEntry {
  /** `agents list`: a noun and a verb, or one word. */
  readonly name: string;
  /** A few words, without a full stop. */
  readonly summary: string;
  /** Another last word of the name: `ls` of `agents list`. */
  readonly synonym?: string | undefined;
  /** True: hidden in help and completion, because it is for programs. */
  readonly isHidden?: true;
  readonly load: () => Promise<{ readonly command: Command }>;
}

export interface CommandTable {
  /** The meaning of the first words of two-word commands. */
  readonly groups: Readonly<Record<string, string>>;
  readonly commands: readonly CommandEntry[];
}

/** Loads every command, for texts about all of them. */
export async function outlineOf({ groups, commands }: CommandTable): Promise<Outline> {
  const outlined = commands
    .filter(({ isHidden }) => !isHidden)
    .map(async ({ name, summary, synonym, load }) => {
      const { command } = await load();
      const { arguments: named, options, details, examples } = command;
      return { name, summary, synonym, arguments: named, options, details, examples };
    });
  return { groups, commands: await Promise.all(outlined) };
}
