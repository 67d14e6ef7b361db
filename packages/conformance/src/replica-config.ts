import { fileURLToPath } from 'node:url';
import {
  CHILD_PARAMETER,
  END_PARAMETER,
  READINESS_PATH,
  RUN_PATH,
  RUN_PROGRAM_PATH,
} from './replica-paths.js';

/** JavaScript that exits with 0 if the address in its argument answers 200. */
const READINESS_CHECK =
  "require('http').get(process.argv[1], ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))";

/**
 * JavaScript that does the work of a run: one request to the `address` of its input, whose answer is its output. It fails
 * when the connection breaks.
 */
const RUN_PROGRAM = `
const { address } = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const fail = () => process.exit(1);
const url = address.replace('${RUN_PATH}', '${RUN_PROGRAM_PATH}');
require('http').get(url, (reply) => reply.on('error', fail).pipe(process.stdout)).on('error', fail);
`;
/** Number of runs that an agent which runs programs may have at once. */
export const CONCURRENCY = 2;
const RUN_TIMEOUT_SECONDS = 60;

/** Special behaviour of a command's replicas. */
export interface ReplicaKind {
  /** True if they can't be started. */
  readonly isImpossible?: boolean;
  /** Time that they take to end after SIGTERM; milliseconds. */
  readonly endMs?: number;
  /** True if they take runs, and there is nothing else to start. */
  readonly takesRuns?: boolean;
  /** True if they report their readiness; else they are ready at once. */
  readonly hasReadiness?: boolean;
  /** True if each starts a process of its own, and does not end it. */
  readonly hasChild?: boolean;
  /** True if a replica that ends well is not to be started again. */
  readonly mayComplete?: boolean;
}

/** @returns the agent's configuration, as JSON text */
export type ConfigOf = (kind: ReplicaKind) => string;

/**
 * The config for an agent that runs programs: a program whose life can be observed.
 *
 * @param replicaCommand program and arguments of each replica, before the address for its connection; absent: the kit's
 *   own program
 */
export function replicaConfig(replicaUrl: string, replicaCommand?: readonly string[]): ConfigOf {
  const own = [process.execPath, fileURLToPath(new URL('replica.js', import.meta.url))];
  return (kind) => {
    const { isImpossible = false, hasReadiness = false, takesRuns = false, mayComplete = false } = kind;
    if (takesRuns) {
      const command = [process.execPath, '-e', RUN_PROGRAM];
      return JSON.stringify({
        run: { command, concurrency: CONCURRENCY, timeout_seconds: RUN_TIMEOUT_SECONDS },
      });
    }
    const check = [process.execPath, '-e', READINESS_CHECK, new URL(READINESS_PATH, replicaUrl).href];
    return JSON.stringify({
      command: isImpossible
        ? ['/nonexistent/program']
        : [...(replicaCommand ?? own), replicaAddress(replicaUrl, kind)],
      // a check is one process each second
      readiness: hasReadiness ? { command: check } : { seconds: 0 },
      ...(mayComplete && { restart: { when: 'failed' } }),
    });
  };
}

/** The address for the connections of replicas of a kind. */
export function replicaAddress(replicaUrl: string, { endMs = 0, hasChild = false }: ReplicaKind): string {
  const url = new URL(replicaUrl);
  if (endMs > 0) url.searchParams.set(END_PARAMETER, String(endMs));
  if (hasChild) url.searchParams.set(CHILD_PARAMETER, '1');
  return url.href;
}
