import {
  type Approval,
  createServiceClient,
  ServiceError,
  UnreachableError,
} from '@agent-control-plane/client';
import { proxiedFetch } from '@agent-control-plane/client/internal/runtime/proxied-fetch';
import { agentKeyOf, keyFileOption } from '../agent-key.js';
import { defineCommand } from '../command.js';
import type { Context } from '../context.js';
import { failureOf } from '../failure-report.js';
import { UsageError } from '../failures.js';
import { findAgentId } from '../find-agent.js';
import { askedThere, decidedAnswer, denied, type HookAnswer } from '../hook/hook-answer.js';
import { PeopleAsked } from '../hook/people-asked.js';
import { readToolCall, type ToolCall } from '../hook/tool-call.js';
import { ToolRisks } from '../hook/tool-risks.js';
import { filled, isId, seconds } from '../option-values.js';
import { printableJson, printableLine } from '../output/printable.js';
import { duration } from '../output/relative-time.js';
import { version } from '../version.js';

/** The one exit code after which a coding agent does not call the tool; it takes all others for consent. */
const BLOCKS = 2;
/** A minute less than coding agents give a hook: one that they end themselves is consent, too. */
const DEFAULT_SECONDS = 9 * 60;
const LONGEST_SECONDS = 30 * 86_400;
/**
 * Time after that, in which the service reports expired questions. The answer never comes later: the hook would be
 * ended, and the tool called.
 */
const GRACE_MS = 10_000;
/** Longer than a request waits for a decision. */
const PATIENCE_MS = 25_000;

interface HookOptions {
  /** Name or id. */
  readonly agent: string | undefined;
  readonly keyFile: string | undefined;
  readonly risks: ToolRisks;
  /** How long people have. */
  readonly lifeSeconds: number;
  /** True: an undecided call is left to the person at the coding agent's terminal. */
  readonly asksThere: boolean;
}

export const command = defineCommand<HookOptions>({
  failureCode: BLOCKS,
  options: [
    {
      flags: '--agent <agent>',
      description:
        'ask as this agent (name or id; default: AGENT_ID), with a key created for it; needs a login the first time',
      completes: 'agent',
      parse: filled,
    },
    keyFileOption,
    {
      flags: '--risk <risk>',
      description:
        'low, medium (the default) or high; TOOL=high for one tool, mcp__bank__*=high for several. May be repeated',
      isRepeatable: true,
    },
    {
      flags: '--expires <time>',
      description: "how long people have: 90s, 9m (the default), 1h. Shorter than the hook's own timeout",
      parse: life,
    },
    {
      flags: '--if-unanswered <answer>',
      description:
        'what to answer if nobody decides in time, or the service cannot be reached: deny (the default), or ask, ' +
        'which asks the person at the coding agent',
      choices: ['deny', 'ask'],
    },
  ],
  details:
    'For the PreToolUse hook of Claude Code, and of programs with the same hooks: reads a tool call from ' +
    'standard input, asks people, and answers allow or deny. If anything goes wrong, it denies, or exits ' +
    "with 2, which blocks the call. The agent's key comes from SERVICE_AGENT_KEY, a file, or --agent. " +
    'Under svc run, the run of RUN_ID waits meanwhile.',
  examples: [
    {
      command: 'approve-hook --agent coder < call.json',
      explanation: 'asks as the agent coder, and prints the answer',
    },
    {
      command:
        "approve-hook --key-file ~/.coder-key --risk low --risk Bash=high --risk 'mcp__bank__*=high' --expires 1h",
      explanation: 'with a timeout of more than an hour in the settings of the hook',
    },
  ],
  read: (input) => ({
    agent: input.text('agent'),
    keyFile: input.text('key-file'),
    risks: ToolRisks.of(input.list('risk') ?? []),
    lifeSeconds: input.number('expires') ?? DEFAULT_SECONDS,
    asksThere: input.text('if-unanswered') === 'ask',
  }),
  async run(options, context) {
    const { terminal, signal } = context;
    if (terminal.isInteractive)
      throw new UsageError('The tool call is read from standard input: a coding agent runs this as its hook');
    const call = readToolCall(await terminal.readInput());
    try {
      terminal.print(printableJson(await answerTo(call, options, context)));
    } catch (error) {
      if (!signal.aborted) throw error;
      terminal.note('Interrupted: nobody has decided about this call');
      return BLOCKS;
    }
    return 0;
  },
});

/** Asks people about a call. @returns the answer; every failure is one, too @throws the signal's reason, UsageError */
async function answerTo(call: ToolCall, options: HookOptions, context: Context): Promise<HookAnswer> {
  const unanswered = (why: string) => (options.asksThere ? askedThere(why, call) : denied(why));
  const late = `Nobody has decided within ${duration(options.lifeSeconds)}, which is nobody's no`;
  const limit = AbortSignal.timeout(options.lifeSeconds * 1_000 + GRACE_MS);
  const bounded = { ...context, signal: AbortSignal.any([context.signal, limit]) };
  try {
    return decidedAnswer(await decisionAbout(call, options, bounded), call) ?? unanswered(late);
  } catch (error) {
    context.signal.throwIfAborted();
    if (limit.aborted) return unanswered(late);
    if (error instanceof UsageError) throw error;
    const why = `People can't be asked about this call: ${wordsOf(error)}`;
    return isAway(error) ? unanswered(why) : denied(why);
  }
}

/** Returns true if nobody has answered at the address of the service. */
function isAway(error: unknown): boolean {
  if (error instanceof ServiceError) return error.isOfProxy || error.status >= 500;
  return error instanceof UnreachableError;
}

/** The error, without advice on the command line: a coding agent reads it. */
function wordsOf(error: unknown): string {
  return printableLine(error instanceof ServiceError ? error.detail : failureOf(error).line);
}

async function decisionAbout(
  call: ToolCall,
  { agent, keyFile, risks, lifeSeconds }: HookOptions,
  context: Context,
): Promise<Approval> {
  const { address, environment, signal, terminal } = context;
  const end = performance.now() + lifeSeconds * 1_000;
  const { AGENT_ID, RUN_ID } = environment;
  const hasKey = keyFile !== undefined || Boolean(environment.SERVICE_AGENT_KEY?.trim());
  const named = agent ?? AGENT_ID;
  const agentId = hasKey || named === undefined ? undefined : await findAgentId(context, named);
  const key = await agentKeyOf({ agentId, keyFile }, context, {
    stateDir: undefined,
    maker: 'svc approve-hook',
  });
  const service = createServiceClient({
    baseUrl: address.url,
    credentials: key,
    userAgent: `svc-approve-hook/${version}`,
    retries: 0,
    timeoutMs: PATIENCE_MS,
    fetch: proxiedFetch(environment),
  });
  const isOfRun = isId(RUN_ID ?? '') && AGENT_ID !== undefined && AGENT_ID === (agentId ?? AGENT_ID);
  const people = new PeopleAsked(service, end, signal);
  const asked = await people.ask({ call, risk: risks.of(call.tool), runId: isOfRun ? RUN_ID : undefined });
  if (asked.state === 'pending')
    terminal.note(`Waiting for a decision: "svc approvals show ${asked.id}" shows what is asked`);
  return people.decision(asked.id);
}

/** @throws UsageError */
function life(text: string): number {
  const given = seconds(text);
  if (given >= 1 && given <= LONGEST_SECONDS) return given;
  throw new UsageError('It must be from 1s to 30d');
}
