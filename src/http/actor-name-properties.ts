import { ApiProperty } from '@nestjs/swagger';

/** Documents the name next to an actor. */
export const ActorNameProperty = () =>
  ApiProperty({
    type: String,
    nullable: true,
    description:
      'Name of the person, the API key or the agent. Null: it was deleted, has no name, or the caller shares no ' +
      'project with it.',
    example: 'ci',
  });

/** Documents the address next to an actor. */
export const ActorEmailProperty = () =>
  ApiProperty({
    type: String,
    nullable: true,
    description:
      'Email address of the person who acted, or whose API key did; null under the same conditions as `actor_name`.',
    example: 'ada@example.com',
  });
