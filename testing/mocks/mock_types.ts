import type { Mock, MockInstance } from "@vitest/spy";

/** Any function, whatever it takes. */
// deno-lint-ignore no-explicit-any -- of its parameters nothing is known.
export type AnyFunction = (...args: any[]) => any;

/**
 * A method that is a mock function too. What `mockResolvedValue` and its like take is not checked:
 * most methods of the platform are overloaded, and of those TypeScript would see the last form only.
 */
export type MockMethod<F extends AnyFunction> = F & MockInstance<AnyFunction>;

/** A value of which every method, however deep, is a mock function. */
export type Mocked<T> = T extends AnyFunction ? MockMethod<T> & MockedMembers<T>
  : T extends object ? T & MockedMembers<T>
  : T;

/** The members of a value, of which every method, however deep, is a mock function. */
export type MockedMembers<T> = {
  [K in keyof T]: T[K] extends AnyFunction ? MockMethod<T[K]>
    : T[K] extends object ? Mocked<T[K]>
    : T[K];
};

/** A mock function without a type of its own. */
export type AnyMock = Mock<AnyFunction>;
