import { losesDigits } from '@agent-control-plane/client/internal/kept-numbers';
import { UsageError } from '../failures.js';

/** A call of a tool that a coding agent is about to make. */
export interface ToolCall {
  /** `Bash`, `mcp__bank__pay`. */
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The agent's id of this one call. */
  readonly id: string;
  /** Folder in which the agent works. */
  readonly folder: string | undefined;
  readonly session: string | undefined;
  /** How the agent treats what it is not explicitly allowed: `default`, `plan`, `bypassPermissions`. */
  readonly permissionMode: string | undefined;
}

/**
 * Reads what a coding agent writes to a `PreToolUse` hook.
 *
 * @throws UsageError for anything else: without it nobody can be asked about the call
 */
export function readToolCall(text: string): ToolCall {
  const given = parsed(text);
  const textOf = (name: string) => (typeof given[name] === 'string' ? given[name] : undefined);
  const event = textOf('hook_event_name');
  if (event !== 'PreToolUse')
    throw new UsageError(`It answers the event PreToolUse alone, and got ${event ?? 'none'}: move it there`);
  const [tool, id] = [textOf('tool_name'), textOf('tool_use_id')];
  if (!tool) throw new UsageError('Standard input names no tool_name');
  if (!id)
    throw new UsageError(
      'Standard input has no tool_use_id, which keeps a call from being asked about twice',
    );
  const input = given.tool_input;
  if (!isRecord(input)) throw new UsageError('Standard input has no tool_input that is an object');
  return {
    ...{ tool, input, id },
    folder: textOf('cwd'),
    session: textOf('session_id'),
    permissionMode: textOf('permission_mode'),
  };
}

function parsed(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // told below
  }
  if (isRecord(value)) {
    // People would see and approve another number than the one with which the tool is called.
    if (losesDigits(text))
      throw new UsageError('A number in it has more digits than JSON keeps: give it to the tool as a text');
    return value;
  }
  throw new UsageError('Standard input must be the JSON object of a PreToolUse hook');
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
