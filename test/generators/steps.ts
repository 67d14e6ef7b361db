/** Addresses that a story needs. */
export interface Stage {
  /** Address of the service. */
  readonly url: string;
  /** An address that accepts webhook messages. */
  readonly receiverUrl: string;
}

/** The steps of a story that have succeeded. */
export class Steps {
  count = 0;

  /** @throws Error naming the step unless it is true */
  expect(step: string, isTrue: boolean): asserts isTrue {
    if (!isTrue) throw new Error(`Not as it should be: ${step}`);
    this.count += 1;
  }
}
