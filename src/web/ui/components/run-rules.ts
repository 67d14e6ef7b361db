import type { RunRules } from '../api/runs.js';

/** The fields of a form for the rules of a run, as they are typed; an empty text: the service's default. */
export interface TypedRules {
  readonly priority: number | string;
  readonly timeout_seconds: number | string;
  readonly max_attempts: number | string;
  readonly first_delay_seconds: number | string;
  readonly abandoned: boolean;
}

export const NO_RULES: TypedRules = {
  priority: '',
  timeout_seconds: '',
  max_attempts: '',
  first_delay_seconds: '',
  abandoned: false,
};

/** Fields of the service's refusals that {@link TypedRules} has. */
export const RULE_FIELDS = ['priority', 'timeout_seconds', 'retry'];

/** Returns true if more than one attempt is asked for: only then do the other fields of a retry mean something. */
export const isRetried = ({ max_attempts: attempts }: Pick<TypedRules, 'max_attempts'>): boolean =>
  typeof attempts === 'number' && attempts > 1;

/** The rules that were filled in. Pure. */
export function givenRules(typed: TypedRules): RunRules {
  const { priority, timeout_seconds, max_attempts, first_delay_seconds, abandoned } = typed;
  return {
    ...(typeof priority === 'number' && { priority }),
    ...(typeof timeout_seconds === 'number' && { timeout_seconds }),
    ...(isRetried(typed) && {
      retry: {
        max_attempts: max_attempts as number,
        first_delay_seconds: typeof first_delay_seconds === 'number' ? first_delay_seconds : 0,
        abandoned,
      },
    }),
  };
}
