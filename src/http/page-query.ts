import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import type { PageRequest } from '../database/page.js';
import { WholeNumberBetween } from './number-between.js';
import { QueryBoolean } from './query-boolean.js';

/** PostgreSQL's OFFSET takes more, but nobody pages that far. */
const MAXIMUM_SKIP = 2_147_483_647;

abstract class PageQuery {
  @ApiProperty({
    required: false,
    default: 0,
    minimum: 0,
    maximum: MAXIMUM_SKIP,
    type: 'integer',
    description: 'How many of the newest items to leave out.',
  })
  @IsOptional()
  @WholeNumberBetween({ min: 0, max: MAXIMUM_SKIP })
  skip: number = 0;

  @ApiProperty({
    required: false,
    default: false,
    description:
      'Count all items that match, in the header `X-Total-Count`. The more there are, the more it costs.',
  })
  @IsOptional()
  @QueryBoolean()
  include_total: boolean = false;
}

/** Paging of resources: agents, deployments, keys, users. */
export class ResourcePageQuery extends PageQuery {
  @ApiProperty({
    required: false,
    default: 50,
    minimum: 1,
    maximum: 100,
    type: 'integer',
    description: 'How many items to return at most.',
  })
  @IsOptional()
  @WholeNumberBetween({ min: 1, max: 100 })
  limit: number = 50;
}

/** Paging of records that accumulate: events, logs, metrics, deliveries. */
export class HistoryPageQuery extends PageQuery {
  @ApiProperty({
    required: false,
    default: 100,
    minimum: 1,
    maximum: 500,
    type: 'integer',
    description: 'How many items to return at most.',
  })
  @IsOptional()
  @WholeNumberBetween({ min: 1, max: 500 })
  limit: number = 100;
}

export function pageRequest(query: ResourcePageQuery | HistoryPageQuery): PageRequest {
  return { skip: query.skip, limit: query.limit, includeTotal: query.include_total };
}
