import { ServiceError, StreamEndedError, UnreachableError } from '@agent-control-plane/client';
import { CommandFailedError, EXIT, NotLoggedInError, UnsuccessfulRunError, UsageError } from './failures.js';
import { printableLine } from './output/printable.js';

export interface Failure {
  readonly exitCode: number;
  /** One line that says what to do next. */
  readonly line: string;
}

/** The report of an error: its exit code, and its message. */
export function failureOf(error: unknown): Failure {
  const { exitCode, line } = judged(error);
  return { exitCode, line: printableLine(line) };
}

function judged(error: unknown): Failure {
  if (error instanceof UsageError) return { exitCode: EXIT.usage, line: error.message };
  if (error instanceof NotLoggedInError) return { exitCode: EXIT.notLoggedIn, line: error.message };
  if (error instanceof UnsuccessfulRunError) return { exitCode: EXIT.unsuccessfulRun, line: error.message };
  if (error instanceof CommandFailedError) return { exitCode: EXIT.refused, line: error.message };
  if (error instanceof ServiceError) return ofRefusal(error);
  if (error instanceof StreamEndedError && error.reason === 'credential')
    return { exitCode: EXIT.notLoggedIn, line: LOG_IN_AGAIN };
  if (error instanceof StreamEndedError) return { exitCode: EXIT.refused, line: error.message };
  if (error instanceof UnreachableError)
    return {
      exitCode: EXIT.unreachable,
      line: `${error.message}: ${ADDRESS_ADVICE}`,
    };
  const message = error instanceof Error ? error.message : String(error);
  return {
    exitCode: EXIT.refused,
    line: `Something unexpected went wrong (${message}): run it again with SVC_DEBUG=1 to see where`,
  };
}

const ADDRESS_ADVICE = 'is it running, and is the address right? Set it with --api-url or SERVICE_API_URL';
const LOG_IN_AGAIN =
  'The service does not accept this credential: log in again with "svc login", or replace the key that is used';

function ofRefusal(error: ServiceError): Failure {
  const { status, detail } = error;
  if (error.isOfProxy && status < 500 && status !== 429)
    return {
      exitCode: EXIT.unreachable,
      line: `${detail}, which is a proxy's answer and not the service's: ${ADDRESS_ADVICE}`,
    };
  if (status === 401)
    return {
      exitCode: EXIT.notLoggedIn,
      line: `${detail}: run "svc login"; whoami and api-keys need a login, not a user API key`,
    };
  return { exitCode: EXIT.refused, line: `${detail}${adviceOn(error)}` };
}

/** Advice on a refusal, by its status and the service's message; the first match counts. */
const ADVICE: readonly (readonly [status: number, detail: RegExp, advice: string])[] = [
  [
    400,
    /^Can only scale /,
    '"svc deploy restart" starts one that is stopped or failed; "svc deploy get" shows its status',
  ],
  [
    400,
    /^Can only restart /,
    'stop one that is being deployed with "svc agents stop"; in place of a killed one make a new one with "svc agents deploy"',
  ],
  [400, /^Can only cancel runs /, '"svc runs get" shows how it has ended'],
  [
    400,
    /^Can only retry runs /,
    'cancel it first with "svc runs cancel", or ask for another one with "svc runs create"',
  ],
  [400, /./, 'see --help for what is possible'],
  [403, /^Operators only$/, 'log in as an operator with "svc login"'],
  [403, /deactivated/, 'ask an operator of the service to activate it'],
  [403, /^Missing role: /, 'an owner of the project gives it: "svc projects members" shows who they are'],
  [403, /./, 'use another login or key; "svc status" shows the present one'],
  [
    404,
    /^Project not found$/,
    '"svc projects list" shows yours; "svc projects use all" leaves the one in use',
  ],
  [404, /^No account has this address/, 'check how it is written'],
  [404, /./, 'check the id, for example with a list command'],
  [409, /can't be rotated$/, 'make a new one with "svc api-keys create"'],
  [409, /./, 'check its present state, then try again'],
  [
    412,
    /./,
    'somebody else has saved another config meanwhile: see it with "svc agents diff", then run the command again',
  ],
  [422, /./, 'correct the value; see --help'],
  // only the service's own reply to a webhook's test names the delivery; other gateways do not
  [
    502,
    /\(delivery [^)]*\)$/,
    'the receiver is at fault: check its address and its log; "svc webhooks deliveries" shows what was sent',
  ],
];

/** Advice on refusals that more than one status has, or whose messages differ, by the service's word for them. */
const ADVICE_BY_CODE: Readonly<Record<string, string>> = {
  paused_by_budget: '"svc budgets list" shows it',
  maintenance: '"svc maintenance show" says whether it is over',
  step_up_required: 'log in with "svc login" and run it at a terminal; a key can\'t confirm that it is you',
  second_factor_enrolment_required: 'add one in the dashboard, which leads you there',
};

function adviceOn({ status, code = '', detail, requestId, retryAfterSeconds }: ServiceError): string {
  if (Object.hasOwn(ADVICE_BY_CODE, code)) return `: ${ADVICE_BY_CODE[code]}`;
  const known = ADVICE.find(([ofStatus, ofDetail]) => ofStatus === status && ofDetail.test(detail));
  if (known) return `: ${known[2]}`;
  if (status === 429 || status === 503)
    return `: try again in ${Math.max(1, Math.ceil(retryAfterSeconds ?? 1))} seconds`;
  if (status >= 500)
    return `: try again later; the service's log tells more${requestId === undefined ? '' : ` about request ${requestId}`}`;
  return ': see --help';
}
