/** Risks for which a project may ask two people. */
export const TWO_APPROVERS_FOR = ['high'] as const;
export type TwoApproversFor = (typeof TWO_APPROVERS_FOR)[number];
