/** A number with its noun: `1 agent`, `3 agents`. @param noun one whose plural ends in s */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
