import type { Check } from './check.js';

export const endsWhenTold: Check = {
  id: 'ends-when-told',
  level: 'should',
  text: 'The agent ends on SIGTERM, with exit code 0, and leaves no replica behind.',
  examine: ({ ownsAgent, end, overAt, replicas, refusedAt }) => {
    if (!ownsAgent || refusedAt !== null) return null;
    if (!end) return ['It had to be killed'];
    if (end.at < overAt) return [`It ended before it was told to, with ${end.signal ?? `code ${end.code}`}`];
    const left = replicas.filter(({ endedAt }) => endedAt === null).length;
    return [
      ...(end.code === 0 ? [] : [`It ended with ${end.signal ?? `code ${end.code}`}`]),
      ...(left === 0 ? [] : [`It left ${left} replicas behind`]),
    ];
  },
};

export const failsWhenRefused: Check = {
  id: 'fails-when-refused',
  level: 'should',
  text: "The agent's process ends with a code that is not 0 when its key is refused for good.",
  examine: ({ ownsAgent, end, refusedAt, overAt }) => {
    if (!ownsAgent || refusedAt === null) return null;
    if (!end || end.at > overAt) return ['Its process did not end by itself'];
    return end.code === 0 ? ['Its process ended with code 0'] : [];
  },
};
