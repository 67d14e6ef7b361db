import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { useUser } from '../app/require-session.js';
import { type ActorNames, describeActor } from './actor.js';

/** Pages of the actors that have one; a person or a key leads to what else it did. */
const PAGES: Readonly<Record<string, (actor: string, id: string) => string>> = {
  user: (actor) => `/audit?actor=${encodeURIComponent(actor)}`,
  key: (actor) => `/audit?actor=${encodeURIComponent(actor)}`,
  budget: () => '/usage?tab=budgets',
  schedule: (_actor, id) => `/schedules/${id}`,
};

/** Describes the actor of a step, with a link. */
export function ActorLink({ of }: { readonly of: ActorNames & { readonly actor: string } }) {
  const { actor } = of;
  const text = describeActor(actor, useUser().id, of);
  const [kind = '', id = ''] = actor.split(':', 2);
  const page = Object.hasOwn(PAGES, kind) ? PAGES[kind] : undefined;
  if (page === undefined) return text;
  return (
    <Anchor component={Link} to={page(actor, id)} title={actor} inherit underline="always">
      {text}
    </Anchor>
  );
}
