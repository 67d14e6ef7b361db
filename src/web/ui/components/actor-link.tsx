import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { useUser } from '../app/require-session.js';
import { type ActorNames, describeActor } from './actor.js';

/** Describes the actor of a step; a person or a key leads to what else it did. */
export function ActorLink({ of }: { readonly of: ActorNames & { readonly actor: string } }) {
  const { actor } = of;
  const text = describeActor(actor, useUser().id, of);
  if (!/^(?:user|key):/.test(actor)) return text;
  return (
    <Anchor
      component={Link}
      to={`/audit?actor=${encodeURIComponent(actor)}`}
      title={actor}
      inherit
      underline="always"
    >
      {text}
    </Anchor>
  );
}
