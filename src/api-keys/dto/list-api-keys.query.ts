import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsUUID } from 'class-validator';
import { ResourcePageQuery } from '../../http/page-query.js';
import { API_KEY_KINDS, type ApiKeyKind } from '../api-key-format.js';

export class ListApiKeysQuery extends ResourcePageQuery {
  @ApiProperty({ required: false, format: 'uuid' })
  @IsOptional()
  @IsUUID('loose')
  agent_id?: string;

  @ApiProperty({ required: false, enum: API_KEY_KINDS })
  @IsOptional()
  @IsIn(API_KEY_KINDS)
  kind?: ApiKeyKind;
}
