/** Names that the shell can complete; it asks the service for them. */
export type NamedKind = 'agent' | 'deployment' | 'api-key' | 'webhook' | 'context';

/** An argument stands without a dash: `svc agents status <agent>`. */
export interface CommandArgument {
  readonly name: string;
  readonly description: string;
  /** It may be left out; only the last ones may. */
  readonly isOptional?: true;
  /** The last argument may be given several times; its value is a list. */
  readonly isRepeatable?: true;
  readonly choices?: readonly string[];
  readonly completes?: NamedKind;
  /** Reads and checks the text. @throws UsageError */
  readonly parse?: (text: string) => unknown;
}

export interface CommandOption {
  /** As commander writes it: `-n, --limit <number>`, `--follow`. */
  readonly flags: string;
  readonly description: string;
  readonly choices?: readonly string[];
  readonly completes?: NamedKind;
  /** May be given several times; its value is a list. */
  readonly isRepeatable?: true;
  /** Reads and checks the text. @throws UsageError */
  readonly parse?: (text: string) => unknown;
}

export interface CommandExample {
  /** Without `svc` and without a prompt: `agents list --status running`. */
  readonly command: string;
  readonly explanation: string;
}

/** How a command is called: what help, completion and the manual are made from. */
export interface CommandDeclaration {
  readonly arguments?: readonly CommandArgument[];
  readonly options?: readonly CommandOption[];
  /** Text of the help below the usage. */
  readonly details?: string;
  readonly examples: readonly CommandExample[];
}

/** All of `svc`, as help and completion show it. */
export interface Outline {
  /** The meaning of the first words of two-word commands. */
  readonly groups: Readonly<Record<string, string>>;
  readonly commands: readonly OutlinedCommand[];
}

export interface OutlinedCommand extends CommandDeclaration {
  readonly name: string;
  readonly summary: string;
}
