/** One of several customers, teams or sites that an application keeps apart. */
export interface Tenant {
  /** Unique, and the same for ever: 1 to 64 letters, digits, `-` or `_`. */
  id: string;
  /** Unique, and what addresses show: 1 to 63 lower-case letters, digits or inner hyphens. */
  slug: string;
  /** What people read; it need not be unique. */
  name: string;
  /** What the application keeps about it. It is stored as JSON. */
  settings?: Record<string, unknown>;
  /** When it was stored first. */
  createdAt: Date;
  /** When it was last changed. */
  updatedAt: Date;
  /** Since when it is suspended; left out while it is not. A suspended tenant is found by nobody's request. */
  suspendedAt?: Date;
}

/** What a tenant is made of; the storage checks `id` and `slug`. */
export interface NewTenant extends Pick<Tenant, "slug" | "name" | "settings"> {
  /** Default: a random UUID. */
  id?: string;
  /** When it was made, for one that comes from elsewhere. Default: now. */
  createdAt?: Date;
  /** Default: when it was made. */
  updatedAt?: Date;
}

/** What changes about a tenant; what is `undefined` stays as it is. */
export interface TenantChanges extends Partial<Pick<Tenant, "slug" | "name" | "settings">> {
  /** True suspends it, false ends that. */
  suspended?: boolean;
}

/** Which part of a list is wanted. */
export interface ListOptions {
  /** Where the last part ended, as it said. Default: the beginning. */
  cursor?: string;
  /** How many at most, 1 to 100. Default 50. */
  limit?: number;
}

/** A part of the list of tenants, by id. */
export interface TenantPage {
  /** The tenants, suspended ones among them. */
  tenants: Tenant[];
  /** Where to go on; null at the end. */
  cursor: string | null;
}

/** The port to whatever keeps tenants. */
export interface TenantStorage {
  /**
   * Stores a new tenant and gives it back with its id and times.
   *
   * @throws {TenantExistsError} When the id or the slug is taken.
   * @throws {InvalidTenantError} When a field cannot be one.
   */
  create(tenant: NewTenant): Promise<Tenant>;
  /** The tenant with this id, also a suspended one; null when there is none. */
  get(id: string): Promise<Tenant | null>;
  /** The tenant with this slug, also a suspended one; null when there is none. */
  getBySlug(slug: string): Promise<Tenant | null>;
  /**
   * Changes a tenant; null when there is none.
   *
   * @throws {TenantExistsError} When the slug is taken.
   * @throws {InvalidTenantError} When a field cannot be one.
   */
  update(id: string, changes: TenantChanges): Promise<Tenant | null>;
  /** Removes a tenant; false when there was none. */
  delete(id: string): Promise<boolean>;
  /** The tenants in the order of their ids. */
  list(options?: ListOptions): Promise<TenantPage>;
}
