import { applyDecorators, type Type } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { OTLP_TYPES } from '../../http/otlp-requests.js';

const FREE = { type: 'object' as const, additionalProperties: true };
const FREE_LIST = { type: 'array' as const, items: FREE };

/** The levels of an export above its records or metrics. The schemas here are documentation: `otlp.proto` decodes. */
const levels = (scopes: string, entries: string) => ({
  type: 'array' as const,
  required: false,
  items: {
    type: 'object' as const,
    properties: {
      [scopes]: {
        type: 'array' as const,
        items: { type: 'object' as const, properties: { [entries]: FREE_LIST } },
      },
    },
  },
  example: [],
});

export class ExportLogsServiceRequest {
  @ApiProperty(levels('scopeLogs', 'logRecords'))
  resourceLogs?: object[];
}

export class ExportMetricsServiceRequest {
  @ApiProperty(levels('scopeMetrics', 'metrics'))
  resourceMetrics?: object[];
}

export class ExportTraceServiceRequest {
  @ApiProperty(levels('scopeSpans', 'spans'))
  resourceSpans?: object[];
}

const ApiRejected = (what: string) =>
  ApiProperty({
    ...FREE,
    selfRequired: false,
    additionalProperties: { type: 'string' },
    description: 'How much was not stored, and why.',
    example: { [what]: '1', errorMessage: '1 not stored' },
  });

export class ExportLogsServiceResponse {
  @ApiRejected('rejectedLogRecords')
  partialSuccess?: object;
}

export class ExportMetricsServiceResponse {
  @ApiRejected('rejectedDataPoints')
  partialSuccess?: object;
}

export class ExportTraceServiceResponse {
  @ApiRejected('rejectedSpans')
  partialSuccess?: object;
}

/** Request and response of an OTLP route: one model in each media type. */
export const ApiOtlp = (request: Type, response: Type) =>
  applyDecorators(
    ApiExtraModels(request, response),
    ApiBody({ schema: { $ref: getSchemaPath(request) } }),
    ApiOkResponse({ content: contentOf(response), description: 'Committed.' }),
  );

function contentOf(model: Type) {
  return Object.fromEntries(OTLP_TYPES.map((type) => [type, { schema: { $ref: getSchemaPath(model) } }]));
}
