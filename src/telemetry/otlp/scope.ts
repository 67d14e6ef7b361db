import { storable } from '../../http/storable-text.js';
import { attributesOf } from './attributes.js';
import type { InstrumentationScope } from './generated/otlp_pb.js';

/** The library that wrote an entry, as it is stored; undefined where the export names none. */
export function scopeOf(scope: InstrumentationScope | undefined): Record<string, unknown> | undefined {
  if (!scope || (scope.name === '' && scope.attributes.length === 0)) return undefined;
  const { name, version, attributes } = scope;
  return {
    name: storable(name),
    ...(version === '' ? {} : { version: storable(version) }),
    ...(attributes.length === 0 ? {} : { attributes: attributesOf(attributes) }),
  };
}
