/** Part of class-transformer's storage that is read here; the package declares no types for this file. */
declare module 'class-transformer/cjs/storage.js' {
  import type { TransformationType } from 'class-transformer';

  export const defaultMetadataStorage: {
    /** Transformations of a property, its own and inherited ones, in the order in which they are applied. */
    findTransformMetadatas(
      target: object,
      property: string,
      type: TransformationType,
    ): readonly { readonly transformFn: (given: { readonly value: unknown }) => unknown }[];
  };
}
