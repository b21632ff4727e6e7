/** What `passkey()` takes. */
export interface PasskeyConfig {
  /** Its name in addresses. Default "passkey". */
  id?: string;
  /** Its name on the sign-in page. Default "Passkey". */
  name?: string;
  /** What the browser calls the application. */
  rpName: string;
  /**
   * The domain that the passkeys belong to: the host of `origin`, or a domain above it. Passkeys work on no
   * other one, so it cannot be changed later.
   */
  rpId: string;
  /**
   * The origin of the pages that ask for passkeys, or all of them. https, or any on localhost. Default: the
   * own address of the application, see `baseUrl`.
   */
  origin?: string | string[];
  /** Only passkeys of this device, or only those of another one. Default: both. */
  authenticatorAttachment?: "platform" | "cross-platform";
  /**
   * Whether the device must check that it is its owner, by PIN, finger or face. "required" refuses a passkey
   * without that check. Default "preferred".
   */
  userVerification?: "required" | "preferred" | "discouraged";
  /**
   * Whether the device must keep the passkey, as a sign-in without a name needs. A passkey that it does not
   * keep only serves who is signed in already, to prove it afresh. Default "required".
   */
  residentKey?: "required" | "preferred" | "discouraged";
  /** Whether visitors can make an account with a passkey and nothing else. Default false. */
  signUp?: boolean;
}

/** The configuration of a passkey provider, checked and complete. */
export interface CheckedPasskey
  extends Omit<Required<PasskeyConfig>, "origin" | "authenticatorAttachment"> {
  /** At least one; null for the own address. */
  origin: readonly string[] | null;
  /** Null for both. */
  authenticatorAttachment: "platform" | "cross-platform" | null;
}
