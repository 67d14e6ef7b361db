import { ServiceError, StreamEndedError, UnreachableError } from '@agent-control-plane/client';
import { failureOf } from './failure-report.js';
import { CommandFailedError, NotLoggedInError, UsageError } from './failures.js';

function refusal(status: number, detail = 'No', retryAfterSeconds?: number): ServiceError {
  return new ServiceError(status, detail, [detail], 'request-7', retryAfterSeconds);
}

const withCode = (code: string, error: ServiceError) => Object.assign(error, { code });

/** A proxy's page has no request id. */
const page = (status: number) => new ServiceError(status, `Answered ${status}`, [], undefined, undefined);

describe('The report of a failure', () => {
  it.each([
    [refusal(400, 'Can only scale running deployments'), 1, /^Can only scale .*svc deploy restart/],
    [
      refusal(400, 'Can only restart stopped or failed deployments'),
      1,
      /failed deployments: .*svc agents stop/,
    ],
    [refusal(400, 'Malformed'), 1, /^Malformed: .*--help/],
    [refusal(401, 'Invalid or expired token'), 3, /svc login/],
    [page(401), 4, /^Answered 401, which is a proxy's answer and not the service's: .*--api-url/],
    [page(404), 4, /not the service's/],
    [page(502), 1, /^Answered 502: try again later/],
    [page(429), 1, /^Answered 429: try again in/],
    [refusal(403, 'Account is deactivated'), 1, /^Account is deactivated: ask an operator/],
    [refusal(403, 'Agent ID mismatch'), 1, /another login or key/],
    [refusal(403, 'Missing role: deployer'), 1, /an owner of the project gives it: "svc projects members"/],
    [refusal(404, 'Project not found'), 1, /svc projects use all/],
    [refusal(404, 'Agent not found'), 1, /check the id/],
    [refusal(404, 'No account has this address: an operator can invite it'), 1, /invite it: check how it is/],
    [withCode('paused_by_budget', refusal(400, 'A budget pauses the agent')), 1, /agent: "svc budgets list"/],
    [refusal(409, "A key that was revoked can't be rotated"), 1, /svc api-keys create/],
    [refusal(409, 'The deployment was killed'), 1, /^The deployment was killed: check its/],
    [
      refusal(412, 'The newest config version is 2, and If-Match names 1: read the agent again'),
      1,
      /^The newest config version is 2.* another config meanwhile: .*svc agents diff/,
    ],
    [refusal(413, 'The body is larger than 1048576 bytes'), 1, /1048576 bytes: see --help/],
    [refusal(422, 'replicas must not be greater than 100'), 1, /than 100: correct the value; see --help/],
    [
      refusal(502, 'HTTP 500 (delivery 0192f0d1)'),
      1,
      /\(delivery 0192f0d1\): the receiver is at fault.*svc webhooks/,
    ],
    [refusal(502, 'Bad gateway'), 1, /again later.*request-7/],
    [refusal(429, 'Too many requests', 12.2), 1, /again in 13 seconds/],
    [refusal(500, 'Internal server error'), 1, /request-7/],
    [refusal(503, 'The database is unavailable', 5), 1, /again in 5 seconds/],
    [new UnreachableError('http://x', new Error('ECONNREFUSED')), 4, /http:\/\/x.*--api-url/],
    [new StreamEndedError('removed'), 1, /removed/],
    [new StreamEndedError('credential'), 3, /svc login/],
    [new UsageError('Say what'), 2, /^Say what$/],
    [new NotLoggedInError('Nobody'), 3, /^Nobody$/],
    [new CommandFailedError('Failed'), 1, /^Failed$/],
    [new TypeError('x is not a function'), 1, /x is not a function.*SVC_DEBUG=1/],
  ])('%s: %d', (error, exitCode, line) => {
    const failure = failureOf(error);
    expect(failure.exitCode).toBe(exitCode);
    expect(failure.line).toMatch(line);
  });

  it('is one line without control characters', () => {
    expect(failureOf(refusal(400, 'two\nlines \u001b[2J')).line).toMatch(/^two\\nlines \\u001b\[2J: /);
  });
});
