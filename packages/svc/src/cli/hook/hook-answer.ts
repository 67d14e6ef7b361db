import type { Approval } from '@agent-control-plane/client';
import { frozenJson } from '@agent-control-plane/client/internal/runtime/canonical-json';
import { isRecord, type ToolCall } from './tool-call.js';

/** Output of a `PreToolUse` hook. */
export interface HookAnswer {
  readonly hookSpecificOutput: {
    readonly hookEventName: 'PreToolUse';
    readonly permissionDecision: 'allow' | 'deny' | 'ask';
    /** The coding agent reads it after a `deny`, the person at its terminal after the others. */
    readonly permissionDecisionReason: string;
    /** The part of the tool's input that counts in place of the whole. */
    readonly updatedInput?: Readonly<Record<string, unknown>>;
    /** An additional text for the coding agent. */
    readonly additionalContext?: string;
  };
}

/** Keeps the tool from being called. */
export function denied(reason: string): HookAnswer {
  return answer('deny', reason);
}

/** Modes in which a coding agent does ask the person at its terminal; others may continue without. */
const ASKING_MODES = new Set(['default', 'acceptEdits', 'plan']);

/** Leaves it to the person at the terminal of the coding agent; denies it where that may ask nobody. */
export function askedThere(reason: string, { permissionMode }: ToolCall): HookAnswer {
  const asks = permissionMode !== undefined && ASKING_MODES.has(permissionMode);
  return answer(asks ? 'ask' : 'deny', reason);
}

/** The answer to a call that people have decided about; undefined: nobody has. */
export function decidedAnswer(approval: Approval, call: ToolCall): HookAnswer | undefined {
  const why = approval.reason === null ? '' : `: ${approval.reason}`;
  switch (approval.state) {
    case 'approved':
      if (!isOf(approval, call)) return denied('What was approved is another call than this one');
      return answer('allow', `Approved${why}`);
    case 'edited':
      return withInput(approval.edited_args, why);
    case 'rejected':
      return denied(`This call was rejected${why}`);
    case 'responded':
      return denied(`This call was not allowed; the answer is: ${approval.response}`);
    case 'withdrawn':
      return denied('The question about this call was withdrawn');
    default:
      return undefined;
  }
}

/** Returns true if an approval is about exactly this call. */
function isOf({ action, args_sha256 }: Approval, { tool, input }: ToolCall): boolean {
  return action.name === tool && args_sha256 === frozenJson(input).sha256;
}

function withInput(edited: unknown, why: string): HookAnswer {
  if (!isRecord(edited))
    return denied('This call was approved with arguments that no tool takes: they are not an object');
  const { hookSpecificOutput } = answer('allow', `Approved with other arguments${why}`);
  const additionalContext = `The arguments of this call were changed before it was approved${why}`;
  return { hookSpecificOutput: { ...hookSpecificOutput, updatedInput: edited, additionalContext } };
}

function answer(
  permissionDecision: HookAnswer['hookSpecificOutput']['permissionDecision'],
  permissionDecisionReason: string,
): HookAnswer {
  return {
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason },
  };
}
