import { type ExecutionContext, SetMetadata } from '@nestjs/common';

const STEP_UP = 'step-up';
const OPEN_FOR_ENROLMENT = 'open-for-enrolment';

/** The calls of a route that need a proof of the caller's identity from the last ten minutes. */
export interface StepUpRule {
  /** Accounts without a second factor are asked, too: for their password. */
  readonly isForEverybody: boolean;
  /** @param body not validated yet: it may be anything */
  readonly isFor: (body: Readonly<Record<string, unknown>>) => boolean;
}

/**
 * The route asks for a fresh proof: a thief of a session must not be able to keep its rights.
 *
 * @param isFor the requests that it is asked for; absent: all
 */
export const StepUp = (isFor: StepUpRule['isFor'] = () => true) =>
  SetMetadata(STEP_UP, { isForEverybody: false, isFor } satisfies StepUpRule);

/** Requests that make a person a project's owner: by the role, or by one of a list of roles. */
export const namesOwner =
  (list?: string): StepUpRule['isFor'] =>
  (body) => {
    const entries = list === undefined ? [body] : body[list];
    return (
      Array.isArray(entries) && entries.some((entry: { role?: unknown } | null) => entry?.role === 'owner')
    );
  };

/** As {@link StepUp}, also of accounts without a second factor. */
export const StepUpOfEverybody = () =>
  SetMetadata(STEP_UP, { isForEverybody: true, isFor: () => true } satisfies StepUpRule);

/** Operators who still have to add a second factor may call the route: it belongs to the way there, or out. */
export const OpenForEnrolment = () => SetMetadata(OPEN_FOR_ENROLMENT, true);

export function stepUpRule(context: ExecutionContext): StepUpRule | undefined {
  return Reflect.getMetadata(STEP_UP, context.getHandler()) as StepUpRule | undefined;
}

export function isOpenForEnrolment(context: ExecutionContext): boolean {
  const places = [context.getHandler(), context.getClass()];
  return places.some((place) => Reflect.getMetadata(OPEN_FOR_ENROLMENT, place) === true);
}
