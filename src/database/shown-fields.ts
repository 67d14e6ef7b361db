type PropertyWith<Row, Value> = {
  [Property in keyof Row]: Row[Property] extends Value ? Property : never;
}[keyof Row] &
  string;

/** The fields of a document, each with the property of a row that it shows. A missing or needless one does not compile. */
export type FieldsOf<Document, Row> = {
  readonly [Field in keyof Document]-?: PropertyWith<Row, Document[Field]>;
};

/** Shows a row: for documents that are not read from the database as JSON. */
export function documentOf<Document extends object, Row extends object>(
  fields: FieldsOf<Document, Row>,
  row: Row,
): Document {
  const document: Record<string, unknown> = {};
  for (const field in fields) document[field] = row[fields[field] as keyof Row];
  return document as Document;
}
