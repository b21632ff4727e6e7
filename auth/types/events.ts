/**
 * Events and their listeners.
 *
 * @module
 */

/** Properties of every event; none contains a secret or user input. */
export interface AuthEventDetails {
  /** Time of the event, by the application's clock. */
  at: Date;
  /** Names the request in error responses and the log. */
  requestId: string;
  /** The address of the client, where the host says it. */
  address?: string;
  /** User whom the event concerns, if known. */
  userId?: string;
  /** Id of the provider, where one is concerned. */
  provider?: string;
  /** Id of the administrator who acts for the user in this request; left out where users act themselves. */
  actorId?: string;
}

/** Somebody signed in: a session has begun. Without a provider the application called `startSession()`. */
export interface SignInEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "sign-in";
  /** Id of the user who has signed in. */
  userId: string;
}

/** A sign-in was refused. `userId` is there where the credentials were right. */
export interface SignInFailedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "sign-in-failed";
  /** Id of the provider by which somebody tried. */
  provider: string;
  /** The code of the error: 'INVALID_CREDENTIALS', 'ACCESS_DENIED' and the like. */
  code: string;
  /** Account that somebody tried to sign in to, as `accountTag()` names it, where they said who they are. */
  account?: string;
}

/** A user has been made. Without a provider the application called `createUser()`. */
export interface SignUpEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "sign-up";
  /** The id of the new user. */
  userId: string;
}

/** Somebody signed out: a session has been ended by its owner's browser. */
export interface SignOutEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "sign-out";
  /** Id of the user who has signed out. */
  userId: string;
}

/** A session has been ended from elsewhere: in a list of sessions, or by the application. */
export interface SessionRevokedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "session-revoked";
  /** Id of the user whose session has ended; the one who ended it is not reported. */
  userId: string;
  /** The public id of the session; none when it was about all of the user's, or all others. */
  sessionId?: string;
}

/** A user has a new password: the application called `passwordChanged()`. */
export interface PasswordChangedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "password-changed";
  /** Id of the user whose password changed. */
  userId: string;
}

/** A new password was taken without a look at the list of leaked ones, which did not answer in time. */
export interface PasswordUncheckedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "password-unchecked";
  /** Id of the provider that takes the password. */
  provider: string;
}

/** A user has turned on a second factor, or replaced it. */
export interface SecondFactorAddedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "second-factor-added";
  /** Id of the user. */
  userId: string;
}

/** A second factor has been turned off: by its owner, by the application's `resetSecondFactor()`, or by a recovery request. */
export interface SecondFactorRemovedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "second-factor-removed";
  /** Id of the user who had it. */
  userId: string;
  /**
   * Reason that `resetSecondFactor()` was given, or "Recovery request" for one that has taken effect; none when the owner has
   * turned it off.
   */
  reason?: string;
}

/** There were so many wrong codes that those of the app are refused for a day; recovery codes are not. */
export interface SecondFactorClosedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "second-factor-closed";
  /** Id of the user. */
  userId: string;
}

/**
 * Somebody who has proved the first factor, by a password or a passkey, has asked to do without the second one, which takes
 * effect after the delay. The owner is told by mail at the same time.
 */
export interface SecondFactorRecoveryRequestedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "second-factor-recovery-requested";
  /** Id of the user. */
  userId: string;
}

/**
 * A request to do without the second factor was cancelled: from the mail about it, in a session, or by who has proved two
 * factors. A new password, another address and the end of the factor end it too, and are events of their own.
 */
export interface SecondFactorRecoveryCancelledEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "second-factor-recovery-cancelled";
  /** Id of the user. */
  userId: string;
}

/** A proof of a session's device was refused: somebody has its cookie and not its key. The third one ends the session. */
export interface DeviceProofRefusedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "device-proof-refused";
  /** Id of the user whose session it is. */
  userId: string;
  /** True when this proof has ended the session. */
  ended: boolean;
}

/** A recovery code was accepted in place of the second factor. */
export interface RecoveryCodeUsedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "recovery-code-used";
  /** Id of the user. */
  userId: string;
}

/** Fields of every event about an API key. */
export interface ApiKeyEventDetails extends AuthEventDetails {
  /** Id of the user who did it. */
  userId: string;
  /** Public id of the key, as `listApiKeys()` tells it. It opens nothing. */
  keyId: string;
  /** Id of the tenant whose key it is; left out for a key of the user. */
  tenantId?: string;
}

/** An API key has been made. */
export interface ApiKeyAddedEvent extends ApiKeyEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "api-key-added";
}

/** An API key has a new secret. */
export interface ApiKeyRotatedEvent extends ApiKeyEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "api-key-rotated";
}

/** An API key has been revoked. */
export interface ApiKeyRemovedEvent extends ApiKeyEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "api-key-removed";
}

/** An administrator has changed another user's account on the page of `adminPage()`. */
export interface UserAdministeredEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "user-administered";
  /** Id of the user whose account it is, or was. */
  userId: string;
  /** Id of the administrator. */
  actorId: string;
  /** The change. */
  action:
    | "disabled"
    | "enabled"
    | "recovered"
    | "roles-changed"
    | "session-ended"
    | "sessions-ended"
    | "reset-sent"
    | "deleted";
  /** Roles that were given, for "roles-changed". */
  added?: readonly string[];
  /** Roles that were taken away, for "roles-changed". */
  removed?: readonly string[];
}

/** A user was shut out by `disableUser()`. */
export interface UserDisabledEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "user-disabled";
  /** Id of the user. */
  userId: string;
}

/** A user was let in again by `enableUser()`. */
export interface UserEnabledEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "user-enabled";
  /** Id of the user. */
  userId: string;
}

/** A user was removed by `deleteUser()`. */
export interface UserDeletedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "user-deleted";
  /** Id that the user had. */
  userId: string;
}

/** The roles of a user were changed by `setUserRoles()`. */
export interface RolesChangedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "roles-changed";
  /** Id of the user. */
  userId: string;
  /** The one role from now on; null for none. Left out when it has stayed. */
  role?: string | null;
  /** The roles from now on. Left out when they have stayed. */
  roles?: readonly string[];
}

/** An administrator has begun to act for a user. */
export interface ImpersonationStartedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "impersonation-started";
  /** Id of the user. */
  userId: string;
  /** Id of the administrator. */
  actorId: string;
  /** Reason that the administrator gave. */
  reason: string;
}

/** An administrator no longer acts for a user, before the time was over. */
export interface ImpersonationEndedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "impersonation-ended";
  /** Id of the user. */
  userId: string;
  /** Id of whoever has ended it: the administrator, or the user. */
  actorId: string;
}

/** The trail of a day is sealed: keep the digest elsewhere, and nobody can rewrite what was before it. */
export interface AuditSealedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "audit-sealed";
  /** The day in UTC, such as "2026-11-23". */
  day: string;
  /** Digest of its last seal, which holds all seals before it. */
  digest: string;
}

/** Somebody was invited to a team. Neither the address nor the link is told. */
export interface MemberInvitedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "member-invited";
  /** Id of the user who invites. */
  userId: string;
  /** Id of the tenant. */
  tenantId: string;
  /** Roles that the membership is to have. */
  roles: readonly string[];
}

/** Somebody has accepted an invitation, or made a team, and is a member; or the application called `addMember()`. */
export interface MemberAddedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "member-added";
  /** Id of the new member. */
  userId: string;
  /** Id of the tenant. */
  tenantId: string;
  /** Id of the user who has invited them; none for who has made the team, and for `addMember()`. */
  invitedBy?: string;
}

/** A member was removed on the team page or by `removeMember()`, or has left. */
export interface MemberRemovedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "member-removed";
  /** Id of the member. */
  userId: string;
  /** Id of the tenant. */
  tenantId: string;
  /** Id of the user who did it on the page; the member's own for who has left. None for `removeMember()`. */
  actorId?: string;
}

/** The roles of a member were changed on the team page, or by `setMemberRoles()`. */
export interface MemberRolesChangedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "member-roles-changed";
  /** Id of the member. */
  userId: string;
  /** Id of the tenant. */
  tenantId: string;
  /** Id of the user who did it on the page; none for `setMemberRoles()`. */
  actorId?: string;
  /** The roles from now on. */
  roles: readonly string[];
  /** The roles of before. */
  before: readonly string[];
}

/** A request that would have changed something came from another site and was refused. */
export interface OriginRefusedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "origin-refused";
  /** The path of the request. */
  path: string;
  /** Origin header of the request. */
  origin: string | null;
}

/** A user has proved an address that was unproved: what somebody else may have left there has ended. */
export interface EmailVerifiedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "email-verified";
  /** Id of the user whose address is verified now. */
  userId: string;
}

/** The address of a user is another one: they asked for it on the account page, and who must agree has agreed. */
export interface EmailChangedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "email-changed";
  /** Id of the user. */
  userId: string;
}

/**
 * An account at a provider has been linked to a known user: one who was signed in and asked for it, or one
 * with the same proved address.
 */
export interface AccountLinkedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "account-linked";
  /** Id of the user who can sign in with the account now. */
  userId: string;
  /** Id of the provider at which the account is. */
  provider: string;
}

/** An account at a provider has been unlinked from a user. */
export interface AccountUnlinkedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "account-unlinked";
  /** Id of the user who could sign in with the account until now. */
  userId: string;
  /** Id of the provider at which the account is. */
  provider: string;
}

/** A passkey has been added to a user. */
export interface PasskeyAddedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "passkey-added";
  /** Id of the user who can sign in with the passkey now. */
  userId: string;
  /** The id of the passkey, as `listPasskeys()` tells it. */
  passkeyId: string;
}

/** A passkey has been removed from a user. */
export interface PasskeyRemovedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "passkey-removed";
  /** Id of the user who could sign in with the passkey until now. */
  userId: string;
  /** The id that the passkey had, as `listPasskeys()` told it. */
  passkeyId: string;
}

/**
 * A secret for one use came a second time, such as a link from an email; or a passkey was used whose counter
 * says that there is a copy of it.
 */
export interface ReplayDetectedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "replay-detected";
  /** Id of the provider whose link, code or passkey it was. */
  provider: string;
}

/** Somebody tried too often and was refused. */
export interface RateLimitedEvent extends AuthEventDetails {
  /** Tells it from the other events; also the name of its listener. */
  type: "rate-limited";
  /** Name of the limit: 'login', 'emailVerification', or one of the application's own. */
  limiter: string;
  /** Account that it was about, as `accountTag()` names it, where somebody said who they are. */
  account?: string;
}

/** Event of the library, discriminated by `type`. */
export type AuthEvent =
  | SignInEvent
  | SignInFailedEvent
  | SignUpEvent
  | SignOutEvent
  | SessionRevokedEvent
  | EmailVerifiedEvent
  | EmailChangedEvent
  | AccountLinkedEvent
  | AccountUnlinkedEvent
  | PasskeyAddedEvent
  | PasskeyRemovedEvent
  | ReplayDetectedEvent
  | RateLimitedEvent
  | PasswordChangedEvent
  | PasswordUncheckedEvent
  | SecondFactorAddedEvent
  | SecondFactorRemovedEvent
  | SecondFactorClosedEvent
  | RecoveryCodeUsedEvent
  | SecondFactorRecoveryRequestedEvent
  | SecondFactorRecoveryCancelledEvent
  | DeviceProofRefusedEvent
  | ApiKeyAddedEvent
  | ApiKeyRotatedEvent
  | ApiKeyRemovedEvent
  | UserDisabledEvent
  | UserEnabledEvent
  | UserDeletedEvent
  | RolesChangedEvent
  | UserAdministeredEvent
  | ImpersonationStartedEvent
  | ImpersonationEndedEvent
  | AuditSealedEvent
  | MemberInvitedEvent
  | MemberAddedEvent
  | MemberRemovedEvent
  | MemberRolesChangedEvent
  | OriginRefusedEvent;

/**
 * Listeners to what happens, by the type of the event; `*` hears everything. No event holds a secret or
 * what somebody typed. Nobody waits for a listener, and one that fails fails nothing but is logged.
 */
export interface AuthEvents {
  /** Hears of every event, for an audit log. */
  "*"?(event: AuthEvent): unknown;
  /** Hears of sessions that begin. */
  "sign-in"?(event: SignInEvent): unknown;
  /** Hears of refused sign-ins. */
  "sign-in-failed"?(event: SignInFailedEvent): unknown;
  /** Hears of new users. */
  "sign-up"?(event: SignUpEvent): unknown;
  /** Hears of sign-outs. */
  "sign-out"?(event: SignOutEvent): unknown;
  /** Hears of sessions that were ended from elsewhere. */
  "session-revoked"?(event: SessionRevokedEvent): unknown;
  /** Hears of users who prove an address that was unproved. */
  "email-verified"?(event: EmailVerifiedEvent): unknown;
  /** Hears of users whose address has changed. */
  "email-changed"?(event: EmailChangedEvent): unknown;
  /** Hears of accounts that were linked. */
  "account-linked"?(event: AccountLinkedEvent): unknown;
  /** Hears of accounts that were unlinked. */
  "account-unlinked"?(event: AccountUnlinkedEvent): unknown;
  /** Hears of passkeys that were added. */
  "passkey-added"?(event: PasskeyAddedEvent): unknown;
  /** Hears of passkeys that were removed. */
  "passkey-removed"?(event: PasskeyRemovedEvent): unknown;
  /** Hears of secrets that came a second time, and of copied passkeys. */
  "replay-detected"?(event: ReplayDetectedEvent): unknown;
  /** Hears of those who tried too often. */
  "rate-limited"?(event: RateLimitedEvent): unknown;
  /** Hears of new passwords. */
  "password-changed"?(event: PasswordChangedEvent): unknown;
  /** Hears of new passwords that could not be looked up in the list of leaked ones. */
  "password-unchecked"?(event: PasswordUncheckedEvent): unknown;
  /** Hears of second factors that were turned on. */
  "second-factor-added"?(event: SecondFactorAddedEvent): unknown;
  /** Hears of second factors that were turned off. */
  "second-factor-removed"?(event: SecondFactorRemovedEvent): unknown;
  /** Hears of accounts with too many wrong codes. */
  "second-factor-closed"?(event: SecondFactorClosedEvent): unknown;
  /** Hears of recovery codes that were used. */
  "recovery-code-used"?(event: RecoveryCodeUsedEvent): unknown;
  /** Hears of requests to do without a second factor. */
  "second-factor-recovery-requested"?(event: SecondFactorRecoveryRequestedEvent): unknown;
  /** Hears of such requests that were cancelled. */
  "second-factor-recovery-cancelled"?(event: SecondFactorRecoveryCancelledEvent): unknown;
  /** Hears of refused proofs of devices. */
  "device-proof-refused"?(event: DeviceProofRefusedEvent): unknown;
  /** Hears of API keys that were made. */
  "api-key-added"?(event: ApiKeyAddedEvent): unknown;
  /** Hears of API keys with a new secret. */
  "api-key-rotated"?(event: ApiKeyRotatedEvent): unknown;
  /** Hears of API keys that were revoked. */
  "api-key-removed"?(event: ApiKeyRemovedEvent): unknown;
  /** Hears of users who were shut out. */
  "user-disabled"?(event: UserDisabledEvent): unknown;
  /** Hears of users who were let in again. */
  "user-enabled"?(event: UserEnabledEvent): unknown;
  /** Hears of users who were removed. */
  "user-deleted"?(event: UserDeletedEvent): unknown;
  /** Hears of users whose roles were changed. */
  "roles-changed"?(event: RolesChangedEvent): unknown;
  /** Hears of changes that administrators make. */
  "user-administered"?(event: UserAdministeredEvent): unknown;
  /** Hears of administrators who begin to act for a user. */
  "impersonation-started"?(event: ImpersonationStartedEvent): unknown;
  /** Hears of administrators who no longer act for a user. */
  "impersonation-ended"?(event: ImpersonationEndedEvent): unknown;
  /** Hears of sealed days of the trail. */
  "audit-sealed"?(event: AuditSealedEvent): unknown;
  /** Hears of invitations to teams. */
  "member-invited"?(event: MemberInvitedEvent): unknown;
  /** Hears of new members of teams. */
  "member-added"?(event: MemberAddedEvent): unknown;
  /** Hears of members who were removed or have left. */
  "member-removed"?(event: MemberRemovedEvent): unknown;
  /** Hears of changed roles of members. */
  "member-roles-changed"?(event: MemberRolesChangedEvent): unknown;
  /** Hears of requests that another site's page made. */
  "origin-refused"?(event: OriginRefusedEvent): unknown;
}

/** Types of all events. */
export const EVENT_TYPES: readonly AuthEvent["type"][] = [
  "sign-in",
  "sign-in-failed",
  "sign-up",
  "sign-out",
  "session-revoked",
  "email-verified",
  "email-changed",
  "account-linked",
  "account-unlinked",
  "passkey-added",
  "passkey-removed",
  "replay-detected",
  "rate-limited",
  "password-changed",
  "password-unchecked",
  "second-factor-added",
  "second-factor-removed",
  "second-factor-closed",
  "second-factor-recovery-requested",
  "second-factor-recovery-cancelled",
  "device-proof-refused",
  "api-key-added",
  "api-key-rotated",
  "api-key-removed",
  "user-disabled",
  "user-enabled",
  "user-deleted",
  "roles-changed",
  "user-administered",
  "impersonation-started",
  "impersonation-ended",
  "audit-sealed",
  "recovery-code-used",
  "member-invited",
  "member-added",
  "member-removed",
  "member-roles-changed",
  "origin-refused",
];

/** Fields of an event that the request does not say. */
export type WithoutRequest<Event extends AuthEvent> = Event extends AuthEvent
  ? Omit<Event, "at" | "requestId" | "address">
  : never;

/** An event without what the request says about it. */
export type Occurrence = WithoutRequest<AuthEvent>;

/** Logs what happened and tells the application's listeners. It neither waits nor throws. */
export type Report = (occurrence: Occurrence) => void;
