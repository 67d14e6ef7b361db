import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';

/** A field of a response, apart from its type. */
interface Shown {
  readonly description?: string;
  readonly example?: unknown;
  readonly nullable?: true;
}

/** Shows a text. Needed where it may be null: of other texts the class itself tells the type. */
export const ShownText = (shown: Shown = {}) => documented({ type: String }, shown);

/** Shows a UUID. */
export const ShownId = (shown: Shown = {}) => documented({ type: String, format: 'uuid' }, shown);

/** Shows a time, as ISO 8601 in UTC. */
export const ShownTime = (shown: Shown = {}) => documented({ type: String, format: 'date-time' }, shown);

/** Shows a whole number. */
export const ShownNumber = ({
  min,
  max,
  ...shown
}: Shown & { readonly min?: number; readonly max?: number }) =>
  documented(
    {
      type: 'integer',
      ...(min !== undefined && { minimum: min }),
      ...(max !== undefined && { maximum: max }),
    },
    shown,
  );

function documented(type: ApiPropertyOptions, shown: Shown): PropertyDecorator {
  return ApiProperty({ ...type, ...shown });
}
