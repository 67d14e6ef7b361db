/** Names that the shell can complete by asking the service. */
export type NamedKind =
  | 'agent'
  | 'deployment'
  | 'run'
  | 'schedule'
  | 'pause'
  | 'budget'
  | 'approval'
  | 'api-key'
  | 'webhook'
  | 'project'
  | 'context';

/** An argument has no dash: `svc agents status <agent>`. */
export interface CommandArgument {
  readonly name: string;
  readonly description: string;
  /** True if it may be omitted; only the last arguments may. */
  readonly isOptional?: true;
  /** True for a last argument that may be given several times; its value is a list. */
  readonly isRepeatable?: true;
  readonly choices?: readonly string[];
  readonly completes?: NamedKind;
  /** Parses and validates the text. @throws UsageError */
  readonly parse?: (text: string) => unknown;
}

export interface CommandOption {
  /** In commander's notation: `-n, --limit <number>`, `--follow`. */
  readonly flags: string;
  readonly description: string;
  readonly choices?: readonly string[];
  readonly completes?: NamedKind;
  /** True if it may be given several times; its value is a list. */
  readonly isRepeatable?: true;
  /** Parses and validates the text. @throws UsageError */
  readonly parse?: (text: string) => unknown;
}

export interface CommandExample {
  /** Without `svc` and a prompt: `agents list --status running`. */
  readonly command: string;
  readonly explanation: string;
}

/** The declaration of a command, from which help, completion and the manual are made. */
export interface CommandDeclaration {
  readonly arguments?: readonly CommandArgument[];
  readonly options?: readonly CommandOption[];
  /** Text of the help below the usage. */
  readonly details?: string;
  readonly examples: readonly CommandExample[];
}

/** All commands of `svc`, for help and completion. */
export interface Outline {
  /** The meaning of the first words of two-word commands. */
  readonly groups: Readonly<Record<string, string>>;
  readonly commands: readonly OutlinedCommand[];
}

export interface OutlinedCommand extends CommandDeclaration {
  readonly name: string;
  readonly summary: string;
  /** Another last word of the name. */
  readonly synonym?: string | undefined;
}
