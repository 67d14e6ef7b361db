import { ResourcePageQuery } from '../../http/page-query.js';
import { API_KEY_KINDS, type ApiKeyKind } from '../api-key-format.js';
import { ChoiceField, IdField } from '../../http/request-fields.js';

export class ListApiKeysQuery extends ResourcePageQuery {
  @IdField({ optional: true })
  agent_id?: string;

  @ChoiceField(API_KEY_KINDS, { optional: true })
  kind?: ApiKeyKind;
}
