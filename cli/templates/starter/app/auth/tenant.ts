import { defineTenancy } from "@framework/auth/tenant";

/** Teams: `/t/acme` is the team with the slug `acme`. */
export default defineTenancy({ strategy: "path" });
