import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { isRecord } from '../../http/json-record.js';
import { jsonAsWritten } from '../../http/lost-numbers.js';
import { AnyJson } from '../../http/any-json.js';
import { MAXIMUM_CONFIG_BYTES } from '../agent-defaults.js';
import { Rule } from '../../http/request-fields.js';

function isJsonDocument(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

/** Accepts a config as a string that contains a JSON document, or as an object, which is stored as its JSON text. */
export const ConfigField = (documented: {
  readonly description: string;
  readonly default?: string;
  readonly nullable?: true;
}) =>
  applyDecorators(
    AnyJson((value, body, name) => (isRecord(value) ? jsonAsWritten(body, name) : value)),
    Rule('isJsonDocument', isJsonDocument, () => 'config must be a JSON document'),
    Rule(
      'maxBytes',
      (value) => typeof value !== 'string' || Buffer.byteLength(value) <= MAXIMUM_CONFIG_BYTES,
      () => `config must be at most ${MAXIMUM_CONFIG_BYTES} bytes`,
    ),
    IsOptional(),
    ApiProperty({
      required: false,
      ...documented,
      oneOf: [{ type: 'string' }, { type: 'object', additionalProperties: true }],
      example: '{"command": ["node", "agent.js"]}',
    }),
  );
