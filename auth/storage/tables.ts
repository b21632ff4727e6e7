/**
 * Tables of a feature, and what later versions add to them.
 *
 * @module
 */

/** In what the two dialects differ. */
export interface SchemaTypes {
  /** An integer of 64 bits. */
  integer: string;
  /** The present time in milliseconds. */
  now: string;
  /** A text of 64 hexadecimal digits that nobody can guess. */
  randomKey: string;
}

/** Tables of one feature. They stand in its file, beside its operations; `FEATURES` of the schema lists them. */
export interface FeatureTables {
  /** Names of the tables, in the order in which they are made. */
  readonly names: readonly string[];
  /** Writes the statements that make the tables, with what all versions have added. */
  create(types: SchemaTypes): string;
  /** What a version adds to the tables that the version before has, by its number. It only adds. Default: nothing. */
  readonly steps?: Readonly<Record<number, FeatureStep>>;
}

/** What a version adds to the tables of a feature. */
export interface FeatureStep {
  /** Writes the statements that add it. */
  up(types: SchemaTypes): string;
  /** Statements that take it back, with what it holds. */
  down: string;
}
