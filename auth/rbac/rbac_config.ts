/** A role: what its holders may do. */
export interface Role {
  /** Unique; it is what `user.role` and `user.roles` hold. */
  id: string;
  /** What people read in place of the id. */
  name: string;
  /**
   * What it permits: `resource:action`, `resource:*` for all actions on a resource, `resource:action:own`
   * for an action on the user's own resources only, or `*` for everything.
   */
  permissions: string[];
  /** What the role is for, for whoever gives it to somebody. */
  description?: string;
}

/** The roles of an application. */
export interface RbacConfig {
  /** Every role. A role that is not listed permits nothing. */
  roles: Role[];
  /**
   * Id of the role whose permissions users have who have no role at all. They do not have the role: `hasRole()` of it
   * is false. Default: none, they may do nothing.
   */
  defaultRole?: string;
  /** For a role, the roles whose permissions it has besides its own, with all that those inherit. */
  hierarchy?: Record<string, string[]>;
}
