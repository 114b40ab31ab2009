// Generated from openapi.json: pnpm generate.
export interface paths {
    "/v1/meta/deprecations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List deprecated routes */
        get: operations["listDeprecations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/meta/errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List error codes */
        get: operations["listErrors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the OpenAPI document */
        get: operations["getOpenApiDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/deprecated-calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List who still calls deprecated routes */
        get: operations["listDeprecatedCalls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the limits of the caller */
        get: operations["getMyLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the caller */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/orgs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List organizations */
        get: operations["listOrgs"];
        put?: never;
        /** Create an organization */
        post: operations["createOrg"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/orgs/{org_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an organization */
        get: operations["getOrgAsOperator"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the organization */
        get: operations["getOrg"];
        /** Replace the organization’s settings */
        put: operations["putOrg"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change the organization */
        patch: operations["updateOrg"];
        trace?: never;
    };
    "/v1/orgs/{id}/ip-allow-list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the IP allow-list */
        get: operations["getIpAllowList"];
        /** Set the IP allow-list */
        put: operations["putIpAllowList"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change the IP allow-list */
        patch: operations["updateIpAllowList"];
        trace?: never;
    };
    "/v1/orgs/{id}/residency": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the residency */
        get: operations["getResidency"];
        /** Set the residency */
        put: operations["putResidency"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change the residency */
        patch: operations["updateResidency"];
        trace?: never;
    };
    "/v1/admin/orgs/{org_id}/ip-allow-list/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Reset an IP allow-list */
        post: operations["resetIpAllowList"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/orgs/{org_id}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Suspend an organization */
        post: operations["suspendOrg"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/orgs/{org_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Resume an organization */
        post: operations["resumeOrg"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/orgs/{org_id}/rate-limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the rate limits of an organization */
        get: operations["getRateLimits"];
        /** Set the rate limits of an organization */
        put: operations["putRateLimits"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change the rate limits of an organization */
        patch: operations["updateRateLimits"];
        trace?: never;
    };
    "/v1/orgs/{id}/spend-cap": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the daily spend cap */
        get: operations["getSpendCap"];
        /** Set the daily spend cap */
        put: operations["putSpendCap"];
        post?: never;
        /** Remove the daily spend cap */
        delete: operations["deleteSpendCap"];
        options?: never;
        head?: never;
        /** Change the daily spend cap */
        patch: operations["updateSpendCap"];
        trace?: never;
    };
    "/v1/orgs/{id}/budgets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List budgets */
        get: operations["listBudgets"];
        put?: never;
        /** Create a budget */
        post: operations["createBudget"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/budgets/{budget_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a budget */
        get: operations["getBudget"];
        /** Replace a budget */
        put: operations["putBudget"];
        post?: never;
        /** Delete a budget */
        delete: operations["deleteBudget"];
        options?: never;
        head?: never;
        /** Change a budget */
        patch: operations["updateBudget"];
        trace?: never;
    };
    "/v1/orgs/{id}/scoped-budget": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the budget of a scope and period */
        get: operations["getScopedBudget"];
        /** Set the budget of a scope and period */
        put: operations["putScopedBudget"];
        post?: never;
        /** Delete the budget of a scope and period */
        delete: operations["deleteScopedBudget"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/budget-defaults": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List default budgets */
        get: operations["listBudgetDefaults"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/budget-defaults/{scope_kind}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a default budget */
        get: operations["getBudgetDefault"];
        /** Set a default budget */
        put: operations["putBudgetDefault"];
        post?: never;
        /** Remove a default budget */
        delete: operations["deleteBudgetDefault"];
        options?: never;
        head?: never;
        /** Change a default budget */
        patch: operations["updateBudgetDefault"];
        trace?: never;
    };
    "/v1/orgs/{id}/budget-defaults/{scope_kind}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List how much of a default budget is used */
        get: operations["listBudgetDefaultUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/concurrency-limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List concurrency limits */
        get: operations["listConcurrencyLimits"];
        put?: never;
        /** Create a concurrency limit */
        post: operations["createConcurrencyLimit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/concurrency-limits/{concurrency_limit_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a concurrency limit */
        get: operations["getConcurrencyLimit"];
        /** Replace a concurrency limit */
        put: operations["putConcurrencyLimit"];
        post?: never;
        /** Delete a concurrency limit */
        delete: operations["deleteConcurrencyLimit"];
        options?: never;
        head?: never;
        /** Change a concurrency limit */
        patch: operations["updateConcurrencyLimit"];
        trace?: never;
    };
    "/v1/orgs/{id}/concurrency-defaults": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List default concurrency limits */
        get: operations["listConcurrencyDefaults"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/concurrency-defaults/{scope_kind}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a default concurrency limit */
        get: operations["getConcurrencyDefault"];
        /** Set a default concurrency limit */
        put: operations["putConcurrencyDefault"];
        post?: never;
        /** Remove a default concurrency limit */
        delete: operations["deleteConcurrencyDefault"];
        options?: never;
        head?: never;
        /** Change a default concurrency limit */
        patch: operations["updateConcurrencyDefault"];
        trace?: never;
    };
    "/v1/orgs/{id}/freezes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what is frozen */
        get: operations["listFreezes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/freeze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Freeze the organization */
        post: operations["freezeOrg"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/thaw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Thaw the organization */
        post: operations["thawOrg"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/keys/{key_id}/freeze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Freeze a key */
        post: operations["freezeKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/keys/{key_id}/thaw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Thaw a key */
        post: operations["thawKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/limits/{limit_id}/freeze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Freeze a limit */
        post: operations["freezeLimit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/limits/{limit_id}/thaw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Thaw a limit */
        post: operations["thawLimit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/key-reporting": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what keys leave unreported */
        get: operations["listKeyReporting"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/trust": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the trust in callers */
        get: operations["getTrust"];
        /** Set the trust in callers */
        put: operations["putTrust"];
        post?: never;
        /** Remove the settings of trust */
        delete: operations["deleteTrust"];
        options?: never;
        head?: never;
        /** Change the trust in callers */
        patch: operations["updateTrust"];
        trace?: never;
    };
    "/v1/orgs/{id}/keys/{key_id}/trust": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the trust in a key */
        get: operations["getKeyTrust"];
        /** Set the trust in a key */
        put: operations["putKeyTrust"];
        post?: never;
        /** Remove the settings of trust of a key */
        delete: operations["deleteKeyTrust"];
        options?: never;
        head?: never;
        /** Change the trust in a key */
        patch: operations["updateKeyTrust"];
        trace?: never;
    };
    "/v1/orgs/{id}/dimensions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List dimensions */
        get: operations["listDimensions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/dimensions/{dimension}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the known values of a dimension */
        get: operations["getDimension"];
        /** Set the known values of a dimension */
        put: operations["putDimension"];
        post?: never;
        /** Forget the known values of a dimension */
        delete: operations["deleteDimension"];
        options?: never;
        head?: never;
        /** Change the known values of a dimension */
        patch: operations["updateDimension"];
        trace?: never;
    };
    "/v1/orgs/{id}/customers/{customer_id}/limit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the limit of a customer */
        get: operations["getCustomerLimit"];
        /** Set the limit of a customer */
        put: operations["putCustomerLimit"];
        post?: never;
        /** Remove the limit of a customer */
        delete: operations["deleteCustomerLimit"];
        options?: never;
        head?: never;
        /** Change the limit of a customer */
        patch: operations["updateCustomerLimit"];
        trace?: never;
    };
    "/v1/orgs/{id}/customer-limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the limits of customers */
        get: operations["listCustomerLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/customer-limit-default": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the default limit of customers */
        get: operations["getCustomerLimitDefault"];
        /** Set the default limit of customers */
        put: operations["putCustomerLimitDefault"];
        post?: never;
        /** Remove the default limit of customers */
        delete: operations["deleteCustomerLimitDefault"];
        options?: never;
        head?: never;
        /** Change the default limit of customers */
        patch: operations["updateCustomerLimitDefault"];
        trace?: never;
    };
    "/v1/orgs/{id}/customers/{customer_id}/credit-packs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the credits of a customer */
        get: operations["listCreditPacks"];
        put?: never;
        /** Give a customer credits */
        post: operations["createCreditPack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/credit-packs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the credits of all customers */
        get: operations["listOrgCreditPacks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/credit-packs/{pack_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a pack of credits */
        get: operations["getCreditPack"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/credit-packs/{pack_id}/void": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Void a pack of credits */
        post: operations["voidCreditPack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/quota": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the prepaid quota */
        get: operations["getQuota"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/orgs/{org_id}/quota/top-ups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the top-ups of an organization */
        get: operations["listTopUps"];
        put?: never;
        /** Top up the quota of an organization */
        post: operations["createTopUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/orgs/{org_id}/quota/top-ups/{top_up_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a top-up of an organization */
        get: operations["getTopUp"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/quota/top-ups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what was prepaid */
        get: operations["listOwnTopUps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/quota/top-ups/{top_up_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a top-up */
        get: operations["getOwnTopUp"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the plan */
        get: operations["getPlan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/orgs/{org_id}/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the plan of an organization */
        get: operations["getPlanAsOperator"];
        /** Set the plan of an organization */
        put: operations["putPlan"];
        post?: never;
        /** Remove the plan of an organization */
        delete: operations["deletePlan"];
        options?: never;
        head?: never;
        /** Change the plan of an organization */
        patch: operations["updatePlan"];
        trace?: never;
    };
    "/v1/orgs/{id}/chain-limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the limits of run chains */
        get: operations["getChainLimits"];
        /** Set the limits of run chains */
        put: operations["putChainLimits"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change the limits of run chains */
        patch: operations["updateChainLimits"];
        trace?: never;
    };
    "/v1/admin/prices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the prices of the installation */
        get: operations["getInstallationPrices"];
        /** Set the prices of the installation */
        put: operations["putInstallationPrices"];
        /** Add a price of the installation */
        post: operations["createInstallationPrice"];
        delete?: never;
        options?: never;
        head?: never;
        /** Change the prices of the installation */
        patch: operations["updateInstallationPrices"];
        trace?: never;
    };
    "/v1/admin/prices/{price_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a price of the installation */
        get: operations["getInstallationPrice"];
        /** Replace a price of the installation */
        put: operations["putInstallationPrice"];
        post?: never;
        /** Remove a price of the installation */
        delete: operations["deleteInstallationPrice"];
        options?: never;
        head?: never;
        /** Change a price of the installation */
        patch: operations["updateInstallationPrice"];
        trace?: never;
    };
    "/v1/orgs/{id}/prices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the prices of models */
        get: operations["getPrices"];
        /** Set the prices of models */
        put: operations["putPrices"];
        /** Add a price of a model */
        post: operations["createPrice"];
        delete?: never;
        options?: never;
        head?: never;
        /** Change the prices of models */
        patch: operations["updatePrices"];
        trace?: never;
    };
    "/v1/orgs/{id}/prices/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Compare the cost of models */
        post: operations["comparePrices"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/prices/{price_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a price of a model */
        get: operations["getPrice"];
        /** Replace a price of a model */
        put: operations["putPrice"];
        post?: never;
        /** Remove a price of a model */
        delete: operations["deletePrice"];
        options?: never;
        head?: never;
        /** Change a price of a model */
        patch: operations["updatePrice"];
        trace?: never;
    };
    "/v1/orgs/{id}/prices/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Import prices of models */
        post: operations["importPrices"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/prices/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Import prices of the installation */
        post: operations["importInstallationPrices"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/edge/decision": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Decide whether a call may run */
        post: operations["decideAtEdge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/edge/reservations/{reservation_id}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Release a reservation */
        post: operations["releaseReservation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/edge/reservations/{reservation_id}/extend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Extend a reservation */
        post: operations["extendReservation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/edge/reservations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List reservations */
        get: operations["listReservations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/edge/reservations/{reservation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a reservation */
        get: operations["getReservation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/decisions/{decision_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Explain a decision */
        get: operations["explainDecision"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/refusals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List refused calls */
        get: operations["listRefusals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/refusals/daily": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Count refused calls by day and reason */
        get: operations["countRefusals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/refusals/{refusal_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a refused call */
        get: operations["getRefusal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List rules */
        get: operations["listPolicies"];
        put?: never;
        /** Create a rule */
        post: operations["createPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/policies/matches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List policy matches */
        get: operations["listPolicyMatches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/policies/matches/daily": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Count policy matches by day */
        get: operations["countPolicyMatches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/policies/{rule_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a rule */
        get: operations["getPolicy"];
        /** Replace a rule */
        put: operations["putPolicy"];
        post?: never;
        /** Delete a rule */
        delete: operations["deletePolicy"];
        options?: never;
        head?: never;
        /** Change a rule */
        patch: operations["updatePolicy"];
        trace?: never;
    };
    "/v1/orgs/{id}/policies/evaluate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Explain how rules decide a run */
        post: operations["evaluatePolicies"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List approvals */
        get: operations["listApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/approvals/{approval_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an approval */
        get: operations["getApproval"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/approvals/{approval_id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Approve a request */
        post: operations["approveApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/approvals/{approval_id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Revoke a grant */
        post: operations["revokeApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/approvals/{approval_id}/deny": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Deny a request */
        post: operations["denyApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/budgets/{budget_id}/proposals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ask for a higher limit of a budget */
        post: operations["proposeBudgetIncrease"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/proposals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List proposals */
        get: operations["listProposals"];
        put?: never;
        /** Ask for a new budget */
        post: operations["proposeBudget"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/proposals/{proposal_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a proposal */
        get: operations["getProposal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/proposals/{proposal_id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Approve a proposal */
        post: operations["approveProposal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/proposals/{proposal_id}/deny": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Deny a proposal */
        post: operations["denyProposal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/slack-app": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the Slack app */
        get: operations["getSlackApp"];
        /** Set the Slack app */
        put: operations["putSlackApp"];
        post?: never;
        /** Remove the Slack app */
        delete: operations["deleteSlackApp"];
        options?: never;
        head?: never;
        /** Change the Slack app */
        patch: operations["updateSlackApp"];
        trace?: never;
    };
    "/v1/orgs/{id}/slack-app/manifest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the manifest of the Slack app */
        get: operations["getSlackManifest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/slack-app/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Test the Slack app */
        post: operations["testSlackApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/slack-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List Slack users who are members */
        get: operations["listSlackLinks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/slack-links/{slack_link_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the link of a Slack user */
        get: operations["getSlackLink"];
        put?: never;
        post?: never;
        /** End the link of a Slack user */
        delete: operations["deleteSlackLink"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/content-safety": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the content safety settings */
        get: operations["getContentSafety"];
        /** Replace the content safety settings */
        put: operations["putContentSafety"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change the content safety settings */
        patch: operations["updateContentSafety"];
        trace?: never;
    };
    "/v1/orgs/{id}/content-safety/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Try content safety on a text */
        post: operations["testContentSafety"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/policies/backtest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Back-test rules or a limit against real runs */
        post: operations["backtestPolicies"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List models */
        get: operations["listModels"];
        put?: never;
        /** Add a model */
        post: operations["createModel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/models/{model_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a model */
        get: operations["getModel"];
        /** Replace a model */
        put: operations["putModel"];
        post?: never;
        /** Remove a model */
        delete: operations["deleteModel"];
        options?: never;
        head?: never;
        /** Change a model */
        patch: operations["updateModel"];
        trace?: never;
    };
    "/v1/orgs/{id}/evals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List eval results */
        get: operations["listEvals"];
        put?: never;
        /** Post eval results */
        post: operations["postEvals"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/evals/{eval_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an eval result */
        get: operations["getEval"];
        put?: never;
        post?: never;
        /** Remove an eval result */
        delete: operations["deleteEval"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/routes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List routes */
        get: operations["listRoutes"];
        put?: never;
        /** Create a route */
        post: operations["createRoute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/routes/{route_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a route */
        get: operations["getRoute"];
        /** Replace a route */
        put: operations["putRoute"];
        post?: never;
        /** Delete a route */
        delete: operations["deleteRoute"];
        options?: never;
        head?: never;
        /** Change a route */
        patch: operations["updateRoute"];
        trace?: never;
    };
    "/v1/routing/decision": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Choose a model */
        post: operations["decideRoute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List runs */
        get: operations["listRuns"];
        put?: never;
        /** Start a run */
        post: operations["startRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/finish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Finish a run */
        post: operations["finishRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/extend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Extend a run */
        post: operations["extendRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Record runs */
        post: operations["recordRuns"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/otlp-mapping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the mapping of span attributes */
        get: operations["getOtlpMapping"];
        /** Set the mapping of span attributes */
        put: operations["putOtlpMapping"];
        post?: never;
        /** Remove the mapping of span attributes */
        delete: operations["deleteOtlpMapping"];
        options?: never;
        head?: never;
        /** Change the mapping of span attributes */
        patch: operations["updateOtlpMapping"];
        trace?: never;
    };
    "/v1/otlp/v1/traces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Import OpenTelemetry traces */
        post: operations["importTraces"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/otlp/v1/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Import OpenTelemetry logs */
        post: operations["importLogs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/otlp/v1/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Import OpenTelemetry metrics */
        post: operations["importMetrics"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get usage */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the usage of the caller */
        get: operations["getMyUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/usage/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Export usage */
        get: operations["exportUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a run */
        get: operations["getRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chains/{chain_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a chain */
        get: operations["getChain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/capacity/forecasts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Forecast usage */
        get: operations["getForecasts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/forecast": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Project returns by team count
         * @deprecated
         */
        get: operations["projectReturns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/reconciliations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List reconciliations */
        get: operations["listReconciliations"];
        put?: never;
        /** Reconcile the bill of a provider */
        post: operations["createReconciliation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/reconciliations/{reconciliation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a reconciliation */
        get: operations["getReconciliation"];
        put?: never;
        post?: never;
        /** Delete a reconciliation */
        delete: operations["deleteReconciliation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/retention-policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the retention policy */
        get: operations["getRetentionPolicy"];
        /** Set the retention policy */
        put: operations["putRetentionPolicy"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change the retention policy */
        patch: operations["updateRetentionPolicy"];
        trace?: never;
    };
    "/v1/orgs/{id}/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the journal */
        get: operations["listLedger"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/benchmarks/cohorts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List cohorts */
        get: operations["listBenchmarkCohorts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/benchmarks/cohorts/{cohort_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Compare with a cohort */
        get: operations["getBenchmark"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/benchmark-membership": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get your cohort memberships */
        get: operations["getBenchmarkMembership"];
        /** Join and leave cohorts */
        put: operations["putBenchmarkMembership"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change your cohort memberships */
        patch: operations["updateBenchmarkMembership"];
        trace?: never;
    };
    "/v1/admin/benchmarks/cohorts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List cohort definitions */
        get: operations["listCohortDefinitions"];
        put?: never;
        /** Define a cohort */
        post: operations["createBenchmarkCohort"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/benchmarks/cohorts/{cohort_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a cohort definition */
        get: operations["getCohortDefinition"];
        /** Replace the name and the status of a cohort */
        put: operations["putBenchmarkCohort"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Rename, close or reopen a cohort */
        patch: operations["updateBenchmarkCohort"];
        trace?: never;
    };
    "/v1/orgs/{id}/ledger/adjustments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List adjustments */
        get: operations["listAdjustments"];
        put?: never;
        /** Adjust what is spent */
        post: operations["createAdjustment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/ledger/adjustments/{adjustment_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an adjustment */
        get: operations["getAdjustment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List keys */
        get: operations["listKeys"];
        put?: never;
        /** Create a key */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a key */
        get: operations["getKey"];
        /** Replace the changeable fields of a key */
        put: operations["putKey"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Rename a key, or hand it to another owner */
        patch: operations["updateKey"];
        trace?: never;
    };
    "/v1/orgs/{id}/keys/{key_id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Revoke a key */
        post: operations["revokeKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/keys/{key_id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Rotate a key */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/orgs/{org_id}/owner-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create an owner’s key */
        post: operations["createOwnerKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/foreign-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List keys of another gateway */
        get: operations["listForeignKeys"];
        put?: never;
        /** Register keys of another gateway */
        post: operations["registerForeignKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/foreign-keys/{foreign_key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a key of another gateway */
        get: operations["getForeignKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/foreign-keys/{foreign_key_id}/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End a key of another gateway */
        post: operations["endForeignKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/contested-foreign-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List contested keys of other gateways */
        get: operations["listContestedForeignKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/orgs/{org_id}/foreign-keys/{foreign_key_id}/award": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Award a contested key of another gateway */
        post: operations["awardForeignKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your sessions */
        get: operations["listMySessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get one of your sessions */
        get: operations["getMySession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/sessions/{session_id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End one of your sessions */
        post: operations["revokeMySession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/sessions/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End all your sessions */
        post: operations["revokeMySessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/sign-in-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make a link that signs a browser in */
        post: operations["createSignInLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the sessions of the organization */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a session of the organization */
        get: operations["getSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/sessions/{session_id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End a session of the organization */
        post: operations["revokeSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/session-policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the session policy */
        get: operations["getSessionPolicy"];
        /** Set the session policy */
        put: operations["putSessionPolicy"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change the session policy */
        patch: operations["updateSessionPolicy"];
        trace?: never;
    };
    "/v1/orgs/{id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the members */
        get: operations["listMembers"];
        put?: never;
        /** Invite a person */
        post: operations["createMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/members/{member_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a member */
        get: operations["getMember"];
        /** Replace the changeable fields of a member */
        put: operations["putMember"];
        post?: never;
        /** Remove a member */
        delete: operations["deleteMember"];
        options?: never;
        head?: never;
        /** Change a member */
        patch: operations["updateMember"];
        trace?: never;
    };
    "/v1/orgs/{id}/members/{member_id}/invitation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make a new link for an invited person */
        post: operations["createInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/scim-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the tokens of directories */
        get: operations["listScimTokens"];
        put?: never;
        /** Make a token for a directory */
        post: operations["createScimToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/scim-tokens/{scim_token_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a token of a directory */
        get: operations["getScimToken"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/scim-tokens/{scim_token_id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Revoke a token of a directory */
        post: operations["revokeScimToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/directory-roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the roles that groups give */
        get: operations["getDirectoryRoles"];
        /** Set the roles that groups give */
        put: operations["putDirectoryRoles"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change the roles that groups give */
        patch: operations["updateDirectoryRoles"];
        trace?: never;
    };
    "/v1/orgs/{id}/sso-connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List connections */
        get: operations["listSsoConnections"];
        put?: never;
        /** Create a connection */
        post: operations["createSsoConnection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/sso-connections/{connection_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a connection */
        get: operations["getSsoConnection"];
        /** Replace a connection */
        put: operations["putSsoConnection"];
        post?: never;
        /** Delete a connection */
        delete: operations["deleteSsoConnection"];
        options?: never;
        head?: never;
        /** Change a connection */
        patch: operations["updateSsoConnection"];
        trace?: never;
    };
    "/v1/orgs/{id}/sso-connections/{connection_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Test a connection */
        post: operations["testSsoConnection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List domains */
        get: operations["listDomains"];
        put?: never;
        /** Claim a domain */
        post: operations["createDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/domains/{domain_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a domain */
        get: operations["getDomain"];
        /** Replace a domain */
        put: operations["putDomain"];
        post?: never;
        /** Delete a domain */
        delete: operations["deleteDomain"];
        options?: never;
        head?: never;
        /** Change a domain */
        patch: operations["updateDomain"];
        trace?: never;
    };
    "/v1/orgs/{id}/domains/{domain_id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Verify a domain */
        post: operations["verifyDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your passkeys */
        get: operations["listMyPasskeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/passkeys/{passkey_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get one of your passkeys */
        get: operations["getMyPasskey"];
        put?: never;
        post?: never;
        /** Remove one of your passkeys */
        delete: operations["deleteMyPasskey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/passkeys/{passkey_id}/rename": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Rename one of your passkeys */
        post: operations["renameMyPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/support-grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List support grants */
        get: operations["listSupportGrants"];
        put?: never;
        /** Issue a support grant */
        post: operations["createSupportGrant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/support-grants/{grant_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a support grant */
        get: operations["getSupportGrant"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/support-grants/{grant_id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Revoke a support grant */
        post: operations["revokeSupportGrant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/support-grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the support grants for your organization */
        get: operations["listOrgSupportGrants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/support-grants/{grant_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a support grant for your organization */
        get: operations["getOrgSupportGrant"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/support-grants/{grant_id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Revoke a support grant for your organization */
        post: operations["revokeOrgSupportGrant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/operator-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List operators’ keys */
        get: operations["listOperatorKeys"];
        put?: never;
        /** Create an operator’s key */
        post: operations["createOperatorKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/operator-keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an operator’s key */
        get: operations["getOperatorKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/operator-keys/{key_id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Rotate an operator’s key */
        post: operations["rotateOperatorKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/operator-keys/{key_id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Revoke an operator’s key */
        post: operations["revokeOperatorKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/operator-ip-allow-list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the operators’ IP allow-list */
        get: operations["getOperatorIpAllowList"];
        /** Set the operators’ IP allow-list */
        put: operations["putOperatorIpAllowList"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change the operators’ IP allow-list */
        patch: operations["updateOperatorIpAllowList"];
        trace?: never;
    };
    "/v1/admin/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List processes */
        get: operations["listNodes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List subscriptions */
        get: operations["listWebhooks"];
        put?: never;
        /** Create a subscription */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/webhooks/{sub_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a subscription */
        get: operations["getWebhook"];
        /** Replace a subscription */
        put: operations["putWebhook"];
        post?: never;
        /** Delete a subscription */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /** Change a subscription */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/v1/orgs/{id}/mail-addresses/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Confirm an address of mail */
        post: operations["confirmMailAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/webhooks/{sub_id}/signing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the signing of deliveries */
        get: operations["getWebhookSigning"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/webhooks/{sub_id}/signing/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create or rotate the signing secret */
        post: operations["rotateWebhookSigning"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/webhooks/{sub_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List deliveries */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/webhooks/{sub_id}/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a delivery */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/webhooks/{sub_id}/deliveries/{delivery_id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Deliver an event again */
        post: operations["redeliverWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/webhooks/{sub_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a test event */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/webhooks/{sub_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replay a window */
        post: operations["replayWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/webhooks/{sub_id}/replays": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List replays */
        get: operations["listWebhookReplays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/webhooks/{sub_id}/replays/{replay_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a replay */
        get: operations["getWebhookReplay"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/orgs/{org_id}/webhook-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the organization’s webhook secret
         * @deprecated
         */
        get: operations["getOrgWebhookSecret"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/orgs/{org_id}/webhook-secret/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the organization’s webhook secret
         * @deprecated
         */
        post: operations["rotateOrgWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List events */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/events/{event_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an event */
        get: operations["getEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List audit entries */
        get: operations["listAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/audit-log/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Export audit entries */
        get: operations["exportAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{id}/audit-log/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Verify the audit log */
        get: operations["verifyAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List audit entries */
        get: operations["listOperatorAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/audit-log/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Export audit entries */
        get: operations["exportOperatorAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/audit-log/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Verify the audit log */
        get: operations["verifyOperatorAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AddressListInput: {
            ip_allow_list: string[];
            /** @default false */
            force?: boolean;
        };
        AdjustmentInput: {
            limit_id: string;
            amount_usd?: string;
            amount?: number;
            /** @enum {unknown} */
            unit?: "runs" | "tokens";
            customer_id?: components["schemas"]["OwnId"];
            at?: components["schemas"]["Moment"];
            reason: string;
        };
        Agreement: {
            set_version: components["schemas"]["Count"];
            compared: components["schemas"]["Count"];
            differing: components["schemas"]["Count"];
            examples: {
                run_id: string | null;
                match_id: string | null;
                recorded: {
                    outcome: string;
                    rule_id: string | null;
                };
                found: {
                    outcome: string;
                    rule_id: string | null;
                };
            }[];
        };
        Approval: {
            id: string;
            status: string;
            rule_id: string;
            rule_name: string;
            rule_version: components["schemas"]["Count"];
            reason: string;
            attempted: string;
            attempt: {
                [key: string]: unknown;
            };
            estimated_cost_usd: components["schemas"]["Usd"];
            requested_by: string;
            decided_by: string | null;
            decided_at: components["schemas"]["Timestamp"] | null;
            note: string | null;
            grant: components["schemas"]["Grant"] | null;
            expires_at: components["schemas"]["Timestamp"];
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        ApprovalApprovedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "approval.approved";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                approval_id: string;
                rule_id: string;
                rule_name: string;
                reason: string;
                attempted: string;
                requested_by: string;
                estimated_cost_usd: components["schemas"]["Usd"];
                expires_at: components["schemas"]["Timestamp"];
                decided_by: string;
                note: string | null;
                max_runs: components["schemas"]["Count"];
                max_amount_usd: components["schemas"]["Usd"] | null;
            };
        };
        ApprovalDeniedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "approval.denied";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                approval_id: string;
                rule_id: string;
                rule_name: string;
                reason: string;
                attempted: string;
                requested_by: string;
                estimated_cost_usd: components["schemas"]["Usd"];
                expires_at: components["schemas"]["Timestamp"];
                decided_by: string;
                note: string | null;
            };
        };
        ApprovalExpiredEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "approval.expired";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                approval_id: string;
                rule_id: string;
                rule_name: string;
                reason: string;
                attempted: string;
                requested_by: string;
                estimated_cost_usd: components["schemas"]["Usd"];
                expires_at: components["schemas"]["Timestamp"];
            };
        };
        ApprovalList: {
            data: components["schemas"]["Approval"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        ApprovalRequestedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "approval.requested";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                approval_id: string;
                rule_id: string;
                rule_name: string;
                reason: string;
                attempted: string;
                requested_by: string;
                estimated_cost_usd: components["schemas"]["Usd"];
                expires_at: components["schemas"]["Timestamp"];
            };
        };
        ApproveInput: {
            /** @default 1 */
            max_runs?: number;
            max_amount_usd?: components["schemas"]["Usd"] | null;
            expires_at?: components["schemas"]["Moment"];
            note?: string;
        };
        Attempt: {
            at: components["schemas"]["Timestamp"];
            status: components["schemas"]["Count"] | null;
            error: string | null;
            error_message: string | null;
            latency_ms: components["schemas"]["Count"];
            response: string | null;
        };
        AuditLogEntry: {
            id: string;
            seq: string;
            created_at: string;
            actor: {
                kind: string;
                id: string;
                role: string;
                email?: string;
                connection_id?: string;
                operator_key_id?: string;
                session_id?: string;
                slack_user_id?: string;
            };
            action: string;
            target: {
                kind: string;
                id: string;
            };
            outcome: string;
            before: unknown;
            after: unknown;
            address: string | null;
            trace_id: string;
            count: number;
            reason: string | null;
        };
        AuditLogEntryList: {
            data: components["schemas"]["AuditLogEntry"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        AuditVerification: {
            entries: number;
            first_seq: string | null;
            head: {
                seq: string;
                mac: string;
            } | null;
            valid: boolean;
            first_bad?: {
                seq: string;
                reason: string;
            };
            next_cursor: string | null;
        };
        Backtest: {
            window: {
                from: components["schemas"]["Timestamp"];
                to: components["schemas"]["Timestamp"];
            };
            tested: {
                kind: string;
                set_version: components["schemas"]["Count"] | null;
                rules: components["schemas"]["Count"] | null;
                limit: {
                    scope_kind: string;
                    scope_id: string | null;
                    limit_usd: components["schemas"]["Usd"];
                    period: string;
                    timezone: string;
                    anchor: string | null;
                } | null;
            };
            runs: {
                considered: components["schemas"]["Count"];
                cost_usd: string;
                refused: components["schemas"]["Count"];
                failed: components["schemas"]["Count"];
                saved_usd: string;
                blocked: components["schemas"]["Count"];
                approval_required: components["schemas"]["Count"];
                over_limit: components["schemas"]["Count"];
                approved: components["schemas"]["Count"];
                without_admission: components["schemas"]["Count"];
                uncounted: components["schemas"]["Count"];
            };
            by_team: {
                data: {
                    department_id: string | null;
                    refused: components["schemas"]["Count"];
                    failed: components["schemas"]["Count"];
                    saved_usd: string;
                }[];
                other: components["schemas"]["BacktestTally"];
                is_exact: boolean;
            };
            by_model: {
                data: {
                    model: string;
                    refused: components["schemas"]["Count"];
                    failed: components["schemas"]["Count"];
                    saved_usd: string;
                }[];
                other: components["schemas"]["BacktestTally"];
                is_exact: boolean;
            };
            by_rule: {
                data: {
                    rule_id: string | null;
                    index: components["schemas"]["Count"] | null;
                    rule_name: string | null;
                    refused: components["schemas"]["Count"];
                    failed: components["schemas"]["Count"];
                    saved_usd: string;
                }[];
                other: components["schemas"]["BacktestTally"];
                is_exact: boolean;
            };
            recorded_refusals: {
                considered: components["schemas"]["Count"];
                allowed: components["schemas"]["Count"];
                refused: components["schemas"]["Count"];
                failed: components["schemas"]["Count"];
            } | null;
            examples: {
                run_id: string;
                model: string;
                department_id: string | null;
                outcome: string;
                rule_id: string | null;
                index: components["schemas"]["Count"] | null;
                rule_name: string | null;
                cost_usd: components["schemas"]["Usd"];
            }[];
            agreement: components["schemas"]["Agreement"] | null;
        };
        BacktestInput: {
            from?: string;
            to?: string;
            rules?: components["schemas"]["RuleInput"][];
            limit?: {
                /** @enum {unknown} */
                scope_kind: "org" | "department" | "workflow" | "deployment" | "customer";
                scope_id?: components["schemas"]["OwnId"];
                limit_usd: components["schemas"]["Usd"];
                /** @enum {unknown} */
                period: "day" | "week" | "month" | "quarter" | "year";
                timezone?: components["schemas"]["Timezone"];
                anchor?: components["schemas"]["PeriodAnchor"] | null;
            };
        };
        BacktestTally: {
            refused: components["schemas"]["Count"];
            failed: components["schemas"]["Count"];
            saved_usd: string;
        };
        BadRequestError: {
            error: {
                /** @enum {string} */
                code: "bad_request";
                message: string;
                details: Record<string, never>;
            };
        };
        Bar: {
            suite: string;
            min_score: number;
            /** @default 1 */
            min_samples?: number;
            max_age_seconds: number;
        };
        Benchmark: {
            cohort: components["schemas"]["Cohort"];
            period_start: components["schemas"]["Timestamp"];
            period_end: components["schemas"]["Timestamp"];
            published_at: components["schemas"]["Timestamp"];
            contributors_at_least: components["schemas"]["Count"];
            metrics: {
                cost_per_run_usd: components["schemas"]["BenchmarkCost"];
                tokens_per_run: components["schemas"]["BenchmarkMetric"];
                refusal_rate: components["schemas"]["BenchmarkMetric"];
                cache_share: components["schemas"]["BenchmarkMetric"];
                latency_ms: components["schemas"]["BenchmarkMetric"];
                failure_rate: components["schemas"]["BenchmarkMetric"];
            };
        };
        BenchmarkCohortPatch: {
            name?: components["schemas"]["OwnId"];
            /** @enum {unknown} */
            status?: "open" | "closed";
            id?: components["schemas"]["ReadOnlyField"];
            industry?: components["schemas"]["ReadOnlyField"];
            size?: components["schemas"]["ReadOnlyField"];
            workload?: components["schemas"]["ReadOnlyField"];
            period?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        BenchmarkCost: {
            p10: components["schemas"]["Usd"] | null;
            p25: components["schemas"]["Usd"] | null;
            p50: components["schemas"]["Usd"] | null;
            p75: components["schemas"]["Usd"] | null;
            p90: components["schemas"]["Usd"] | null;
            withheld: {
                [key: string]: string;
            };
            own: {
                value: components["schemas"]["Usd"] | null;
                percentile_from: components["schemas"]["Count"] | null;
                percentile_to: components["schemas"]["Count"] | null;
            } | null;
        };
        BenchmarkMembership: {
            cohort_ids: string[];
            cohorts: {
                cohort_id: string;
                name: string;
                status: string;
                joined_at: components["schemas"]["Timestamp"];
            }[];
        };
        BenchmarkMembershipPatch: {
            cohort_ids?: string[];
            cohorts?: components["schemas"]["ReadOnlyField"];
        };
        BenchmarkMetric: {
            p10: number | null;
            p25: number | null;
            p50: number | null;
            p75: number | null;
            p90: number | null;
            withheld: {
                [key: string]: string;
            };
            own: {
                value: number | null;
                percentile_from: components["schemas"]["Count"] | null;
                percentile_to: components["schemas"]["Count"] | null;
            } | null;
        };
        BenchmarkPublishedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "benchmark.published";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                cohort_id: string;
                name: string;
                period_start: components["schemas"]["Timestamp"];
                period_end: components["schemas"]["Timestamp"];
            };
        };
        Budget: {
            id: string;
            name: string;
            scope_kind: string;
            scope_id: string | null;
            and_scope_kind: string | null;
            and_scope_id: string | null;
            limit_usd: components["schemas"]["Usd"] | null;
            spent_usd: components["schemas"]["Usd"];
            held_usd: components["schemas"]["Usd"];
            remaining_usd: components["schemas"]["Usd"] | null;
            overrun_usd: components["schemas"]["Usd"];
            late_usd: components["schemas"]["Usd"];
            refused_count: components["schemas"]["Count"];
            exhausted_at: components["schemas"]["Timestamp"] | null;
            period_start: components["schemas"]["Timestamp"];
            period_end: components["schemas"]["Timestamp"];
            period: components["schemas"]["Period"];
            timezone: string;
            anchor: string | null;
            next_schedule: components["schemas"]["NextSchedule"] | null;
            enforcement: string;
            thresholds: number[];
            would_refuse_count: components["schemas"]["Count"];
            counts_from: components["schemas"]["Timestamp"];
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        BudgetDefault: {
            id: string;
            scope_kind: string;
            limit_usd: components["schemas"]["Usd"] | null;
            period: components["schemas"]["Period"];
            timezone: string;
            anchor: string | null;
            next_schedule: components["schemas"]["NextSchedule"] | null;
            enforcement: string;
            thresholds: number[];
            max_new_per_day: number;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        BudgetDefaultInput: {
            limit_usd: components["schemas"]["Usd"] | null;
            /** @enum {unknown} */
            period: "day" | "week" | "month" | "quarter" | "year";
            timezone?: components["schemas"]["Timezone"];
            anchor?: components["schemas"]["PeriodAnchor"] | null;
            /**
             * @default block
             * @enum {unknown}
             */
            enforcement?: "block" | "alert";
            thresholds?: components["schemas"]["Thresholds"];
            /** @default 1000 */
            max_new_per_day?: number;
            id?: components["schemas"]["ReadOnlyField"];
            scope_kind?: components["schemas"]["ReadOnlyField"];
            next_schedule?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        BudgetDefaultList: {
            data: components["schemas"]["BudgetDefault"][];
        };
        BudgetDefaultOrNotSet: {
            id: string | null;
            scope_kind: string | null;
            limit_usd: components["schemas"]["Usd"] | null;
            period: components["schemas"]["Period"] | null;
            timezone: string | null;
            anchor: string | null;
            next_schedule: components["schemas"]["NextSchedule"] | null;
            enforcement: string | null;
            thresholds: number[] | null;
            max_new_per_day: number | null;
            created_at: components["schemas"]["Timestamp"] | null;
            updated_at: components["schemas"]["Timestamp"] | null;
        };
        BudgetDefaultPatch: {
            limit_usd?: components["schemas"]["Usd"] | null;
            /** @enum {unknown} */
            period?: "day" | "week" | "month" | "quarter" | "year";
            timezone?: components["schemas"]["Timezone"];
            anchor?: components["schemas"]["PeriodAnchor"] | null;
            /**
             * @default block
             * @enum {unknown}
             */
            enforcement?: "block" | "alert";
            thresholds?: components["schemas"]["Thresholds"];
            /** @default 1000 */
            max_new_per_day?: number;
            id?: components["schemas"]["ReadOnlyField"];
            scope_kind?: components["schemas"]["ReadOnlyField"];
            next_schedule?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        BudgetExceededError: {
            error: {
                /** @enum {string} */
                code: "budget_exceeded";
                message: string;
                details: {
                    budget_id: string;
                    /** @enum {unknown} */
                    scope_kind: "org" | "workflow" | "deployment" | "department" | "customer" | "user" | "key" | "provider" | "model" | "tag";
                    limit_usd: components["schemas"]["Usd"];
                    spent_usd: components["schemas"]["Usd"];
                    period_start: components["schemas"]["Timestamp"];
                    period_end: components["schemas"]["Timestamp"];
                    /** @enum {unknown} */
                    and_scope_kind?: "org" | "workflow" | "deployment" | "department" | "customer" | "user" | "key" | "provider" | "model" | "tag";
                    and_scope_id?: string;
                    held_usd?: components["schemas"]["Usd"];
                    attempted_usd?: components["schemas"]["Usd"];
                    decision_id?: string;
                    index?: components["schemas"]["Count"];
                    settled?: components["schemas"]["SettledRun"][];
                    fits?: string;
                    remaining_usd?: components["schemas"]["Usd"];
                    fits_max_output_tokens?: components["schemas"]["Count"];
                };
            };
        };
        BudgetExceededEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "budget.exceeded";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                budget_id: string;
                scope_kind: string;
                scope_id: string | null;
                and_scope_kind?: string;
                and_scope_id?: string;
                limit_usd: components["schemas"]["Usd"];
                spent_usd: components["schemas"]["Usd"];
                period_start: components["schemas"]["Timestamp"];
                period_end: components["schemas"]["Timestamp"];
            };
        };
        BudgetIncreaseInput: {
            limit_usd: components["schemas"]["Usd"];
            reason: string;
        };
        BudgetInput: {
            name: string;
            limit_usd: components["schemas"]["Usd"] | null;
            /** @enum {unknown} */
            period: "day" | "week" | "month" | "quarter" | "year";
            timezone?: components["schemas"]["Timezone"];
            anchor?: components["schemas"]["PeriodAnchor"] | null;
            /**
             * @default block
             * @enum {unknown}
             */
            enforcement?: "block" | "alert";
            thresholds?: components["schemas"]["Thresholds"];
            /** @enum {unknown} */
            scope_kind: "org" | "workflow" | "deployment" | "department" | "user" | "key" | "provider" | "model" | "tag";
            scope_id?: components["schemas"]["OwnId"];
            /** @enum {unknown} */
            and_scope_kind?: "workflow" | "deployment" | "department" | "user" | "key" | "provider" | "model" | "tag" | "customer";
            and_scope_id?: components["schemas"]["OwnId"];
            counts_from?: components["schemas"]["Moment"];
        };
        BudgetList: {
            data: components["schemas"]["Budget"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        BudgetPatch: {
            name?: string;
            limit_usd?: components["schemas"]["Usd"] | null;
            /** @enum {unknown} */
            period?: "day" | "week" | "month" | "quarter" | "year";
            timezone?: components["schemas"]["Timezone"];
            anchor?: components["schemas"]["PeriodAnchor"] | null;
            /**
             * @default block
             * @enum {unknown}
             */
            enforcement?: "block" | "alert";
            thresholds?: components["schemas"]["Thresholds"];
            id?: components["schemas"]["ReadOnlyField"];
            scope_kind?: components["schemas"]["ReadOnlyField"];
            scope_id?: components["schemas"]["ReadOnlyField"];
            and_scope_kind?: components["schemas"]["ReadOnlyField"];
            and_scope_id?: components["schemas"]["ReadOnlyField"];
            spent_usd?: components["schemas"]["IgnoredField"];
            held_usd?: components["schemas"]["IgnoredField"];
            remaining_usd?: components["schemas"]["IgnoredField"];
            overrun_usd?: components["schemas"]["IgnoredField"];
            late_usd?: components["schemas"]["IgnoredField"];
            refused_count?: components["schemas"]["IgnoredField"];
            exhausted_at?: components["schemas"]["IgnoredField"];
            period_start?: components["schemas"]["IgnoredField"];
            period_end?: components["schemas"]["IgnoredField"];
            next_schedule?: components["schemas"]["ReadOnlyField"];
            would_refuse_count?: components["schemas"]["IgnoredField"];
            counts_from?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        BudgetProposalInput: {
            name: string;
            /** @enum {unknown} */
            scope_kind: "org" | "workflow" | "deployment" | "department" | "user" | "key" | "provider" | "model" | "tag";
            scope_id?: components["schemas"]["OwnId"];
            limit_usd: components["schemas"]["Usd"];
            /** @enum {unknown} */
            period: "day" | "week" | "month" | "quarter" | "year";
            timezone?: components["schemas"]["Timezone"];
            /**
             * @default block
             * @enum {unknown}
             */
            enforcement?: "block" | "alert";
            reason: string;
        };
        BudgetReplacement: {
            name: string;
            limit_usd: components["schemas"]["Usd"] | null;
            /** @enum {unknown} */
            period: "day" | "week" | "month" | "quarter" | "year";
            timezone?: components["schemas"]["Timezone"];
            anchor?: components["schemas"]["PeriodAnchor"] | null;
            /**
             * @default block
             * @enum {unknown}
             */
            enforcement?: "block" | "alert";
            thresholds?: components["schemas"]["Thresholds"];
            id?: components["schemas"]["ReadOnlyField"];
            scope_kind?: components["schemas"]["ReadOnlyField"];
            scope_id?: components["schemas"]["ReadOnlyField"];
            and_scope_kind?: components["schemas"]["ReadOnlyField"];
            and_scope_id?: components["schemas"]["ReadOnlyField"];
            spent_usd?: components["schemas"]["IgnoredField"];
            held_usd?: components["schemas"]["IgnoredField"];
            remaining_usd?: components["schemas"]["IgnoredField"];
            overrun_usd?: components["schemas"]["IgnoredField"];
            late_usd?: components["schemas"]["IgnoredField"];
            refused_count?: components["schemas"]["IgnoredField"];
            exhausted_at?: components["schemas"]["IgnoredField"];
            period_start?: components["schemas"]["IgnoredField"];
            period_end?: components["schemas"]["IgnoredField"];
            next_schedule?: components["schemas"]["ReadOnlyField"];
            would_refuse_count?: components["schemas"]["IgnoredField"];
            counts_from?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        BudgetStoppedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "budget.stopped";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                budget_id: string;
                scope_kind: string;
                scope_id: string | null;
                and_scope_kind?: string;
                and_scope_id?: string;
                limit_usd: components["schemas"]["Usd"];
                spent_usd: components["schemas"]["Usd"];
                period_start: components["schemas"]["Timestamp"];
                period_end: components["schemas"]["Timestamp"];
                held_usd: components["schemas"]["Usd"];
                attempted_usd: components["schemas"]["Usd"];
            };
        };
        BudgetThresholdCrossedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "budget.threshold_crossed";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                threshold_percent: number;
                budget_id: string;
                scope_kind: string;
                scope_id: string | null;
                and_scope_kind?: string;
                and_scope_id?: string;
                limit_usd: components["schemas"]["Usd"];
                spent_usd: components["schemas"]["Usd"];
                period_start: components["schemas"]["Timestamp"];
                period_end: components["schemas"]["Timestamp"];
            };
        };
        BulkAnswer: {
            accepted: components["schemas"]["Count"];
            duplicates: components["schemas"]["Count"];
            refused: components["schemas"]["Count"];
            results: {
                index: components["schemas"]["Count"];
                run_id: string | null;
                external_id: string | null;
                duplicate: boolean;
                ignored_fields?: string[];
                error?: {
                    code: string;
                    message: string;
                    details: {
                        [key: string]: unknown;
                    };
                };
            }[];
        };
        BulkInput: {
            runs: ({
                model?: components["schemas"]["OwnId"];
                provider?: string;
                workflow_id?: components["schemas"]["OwnId"];
                deployment_id?: components["schemas"]["OwnId"];
                department_id?: components["schemas"]["OwnId"];
                customer_id?: components["schemas"]["OwnId"];
                user_id?: components["schemas"]["OwnId"];
                operation?: string;
                action?: components["schemas"]["OwnId"];
                chain_id?: components["schemas"]["OwnId"];
                parent_run_id?: string;
                external_id?: components["schemas"]["OwnId"];
                tags?: string[];
                metadata?: components["schemas"]["Metadata"];
                run_id?: string;
                reservation_id?: string;
                provider_request_id?: string;
                key_id?: string;
                /**
                 * @default succeeded
                 * @enum {unknown}
                 */
                status?: "succeeded" | "failed" | "cancelled";
                started_at?: components["schemas"]["Moment"];
                input_tokens?: number;
                output_tokens?: number;
                cache_read_input_tokens?: number;
                cache_creation_input_tokens?: number;
                reasoning_output_tokens?: number;
                /** @enum {unknown} */
                service_tier?: "standard" | "priority" | "flex" | "batch";
                cache_creation_1h_input_tokens?: number;
                audio_input_tokens?: number;
                image_input_tokens?: number;
                video_input_tokens?: number;
                cache_read_audio_input_tokens?: number;
                cache_read_image_input_tokens?: number;
                audio_output_tokens?: number;
                image_output_tokens?: number;
                video_output_tokens?: number;
                citation_output_tokens?: number;
                units?: components["schemas"]["Units"];
                parts?: components["schemas"]["UsagePart"][];
                cost_usd?: components["schemas"]["Usd"];
                value_usd?: components["schemas"]["Usd"];
                ended_at?: components["schemas"]["Moment"];
                estimated?: boolean;
            } & unknown)[];
            /**
             * @default atomic
             * @enum {unknown}
             */
            mode?: "atomic" | "partial";
            /** @default true */
            enforce?: boolean;
            /**
             * @default current_period
             * @enum {unknown}
             */
            count_in?: "current_period" | "started_period";
        };
        Candidate: {
            model: components["schemas"]["OwnId"];
            provider?: string | null;
            weight?: number | null;
        };
        Chain: {
            chain_id: string;
            root_run_id: string | null;
            max_cost_usd: components["schemas"]["Usd"] | null;
            max_tokens: components["schemas"]["Count"] | null;
            max_depth: components["schemas"]["Count"] | null;
            spent_usd: components["schemas"]["Usd"];
            held_usd: components["schemas"]["Usd"];
            remaining_usd: components["schemas"]["Usd"] | null;
            spent_tokens: components["schemas"]["Count"];
            held_tokens: components["schemas"]["Count"];
            remaining_tokens: components["schemas"]["Count"] | null;
            depth: components["schemas"]["Count"];
            refused_count: components["schemas"]["Count"];
            exhausted_at: components["schemas"]["Timestamp"] | null;
            nodes: components["schemas"]["ChainNode"][];
            truncated: boolean;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        ChainBoundsInput: {
            max_cost_usd?: components["schemas"]["Usd"] | null;
            max_tokens?: components["schemas"]["Count"] | null;
            max_depth?: number | null;
        };
        ChainBoundsReplacement: {
            max_cost_usd?: components["schemas"]["Usd"] | null;
            max_tokens?: components["schemas"]["Count"] | null;
            max_depth?: number | null;
        };
        ChainBudgetExceededError: {
            error: {
                /** @enum {string} */
                code: "chain_budget_exceeded";
                message: string;
                details: {
                    /** @enum {unknown} */
                    reason: "cost" | "depth" | "tokens";
                    current: components["schemas"]["Usd"] | components["schemas"]["Count"];
                    attempted: components["schemas"]["Usd"] | components["schemas"]["Count"];
                    limit: components["schemas"]["Usd"] | components["schemas"]["Count"];
                    decision_id?: string;
                    index?: components["schemas"]["Count"];
                    settled?: components["schemas"]["SettledRun"][];
                    fits?: string;
                    remaining_usd?: components["schemas"]["Usd"];
                    fits_max_output_tokens?: components["schemas"]["Count"];
                };
            };
        };
        ChainExceededEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "chain.exceeded";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                chain_id: string;
                reason: string;
                limit: components["schemas"]["Usd"] | components["schemas"]["Count"];
                current: components["schemas"]["Usd"] | components["schemas"]["Count"];
            };
        };
        ChainLimits: {
            default: {
                max_cost_usd: components["schemas"]["Usd"] | null;
                max_tokens: components["schemas"]["Count"] | null;
                max_depth: components["schemas"]["Count"] | null;
            } | null;
            workflows: {
                workflow_id: string;
                max_cost_usd: components["schemas"]["Usd"] | null;
                max_tokens: components["schemas"]["Count"] | null;
                max_depth: components["schemas"]["Count"] | null;
            }[];
            updated_at: components["schemas"]["Timestamp"] | null;
        };
        ChainLimitsInput: {
            default?: components["schemas"]["ChainBoundsInput"] | null;
            workflows?: components["schemas"]["WorkflowBounds"][];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        ChainLimitsPatch: {
            default?: components["schemas"]["ChainBoundsInput"] | null;
            workflows?: components["schemas"]["WorkflowBounds"][];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        ChainNode: {
            id: string;
            parent_run_id: string | null;
            depth: components["schemas"]["Count"];
            status: string;
            model: string;
            operation: string | null;
            cost_usd: components["schemas"]["Usd"] | null;
            reserved_usd: components["schemas"]["Usd"] | null;
            tokens: components["schemas"]["Count"] | null;
            subtree_cost_usd: components["schemas"]["Usd"];
            started_at: components["schemas"]["Timestamp"];
            ended_at: components["schemas"]["Timestamp"] | null;
        };
        ChainStoppedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "chain.stopped";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                chain_id: string;
                reason: string;
                limit: components["schemas"]["Usd"] | components["schemas"]["Count"];
                current: components["schemas"]["Usd"] | components["schemas"]["Count"];
                attempted: components["schemas"]["Usd"] | components["schemas"]["Count"];
            };
        };
        Cohort: {
            id: string;
            name: string;
            industry: string | null;
            size: string | null;
            workload: string | null;
            period: string;
            status: string;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        CohortInput: {
            name: components["schemas"]["OwnId"];
            industry?: string | null;
            size?: string | null;
            workload?: string | null;
            /**
             * @default month
             * @enum {unknown}
             */
            period?: "week" | "month";
        };
        CohortList: {
            data: components["schemas"]["Cohort"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        CohortReplacement: {
            name: components["schemas"]["OwnId"];
            /** @enum {unknown} */
            status: "open" | "closed";
            id?: components["schemas"]["ReadOnlyField"];
            industry?: components["schemas"]["ReadOnlyField"];
            size?: components["schemas"]["ReadOnlyField"];
            workload?: components["schemas"]["ReadOnlyField"];
            period?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        ComparedModel: {
            model: string;
            provider: string | null;
            price_id: string | null;
            cost_of_call_usd: string | null;
            cost_usd: string | null;
        };
        ConcurrencyDefault: {
            id: string;
            scope_kind: string;
            max_runs: components["schemas"]["Count"];
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        ConcurrencyDefaultInput: {
            max_runs: number;
            id?: components["schemas"]["ReadOnlyField"];
            scope_kind?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        ConcurrencyDefaultList: {
            data: components["schemas"]["ConcurrencyDefault"][];
        };
        ConcurrencyDefaultOrNotSet: {
            id: string | null;
            scope_kind: string | null;
            max_runs: components["schemas"]["Count"] | null;
            created_at: components["schemas"]["Timestamp"] | null;
            updated_at: components["schemas"]["Timestamp"] | null;
        };
        ConcurrencyDefaultPatch: {
            max_runs?: number;
            id?: components["schemas"]["ReadOnlyField"];
            scope_kind?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        ConcurrencyExceededError: {
            error: {
                /** @enum {string} */
                code: "concurrency_exceeded";
                message: string;
                details: {
                    concurrency_limit_id: string;
                    /** @enum {unknown} */
                    scope_kind: "org" | "workflow" | "deployment" | "department" | "customer" | "user" | "key" | "provider" | "model" | "tag";
                    max_runs: components["schemas"]["Count"];
                    running: components["schemas"]["Count"];
                    decision_id?: string;
                    index?: components["schemas"]["Count"];
                    settled?: components["schemas"]["SettledRun"][];
                    fits?: string;
                    remaining_usd?: components["schemas"]["Usd"];
                    fits_max_output_tokens?: components["schemas"]["Count"];
                };
            };
        };
        ConcurrencyLimit: {
            id: string;
            name: string;
            scope_kind: string;
            scope_id: string | null;
            max_runs: components["schemas"]["Count"];
            running: components["schemas"]["Count"];
            refused_count: components["schemas"]["Count"];
            exhausted_at: components["schemas"]["Timestamp"] | null;
            counts_from: components["schemas"]["Timestamp"];
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        ConcurrencyLimitInput: {
            name: string;
            max_runs: number;
            /** @enum {unknown} */
            scope_kind: "org" | "department" | "workflow" | "deployment" | "customer" | "provider" | "model" | "tag" | "user" | "key";
            scope_id?: components["schemas"]["OwnId"];
        };
        ConcurrencyLimitList: {
            data: components["schemas"]["ConcurrencyLimit"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        ConcurrencyLimitPatch: {
            name?: string;
            max_runs?: number;
            id?: components["schemas"]["ReadOnlyField"];
            scope_kind?: components["schemas"]["ReadOnlyField"];
            scope_id?: components["schemas"]["ReadOnlyField"];
            running?: components["schemas"]["IgnoredField"];
            refused_count?: components["schemas"]["IgnoredField"];
            exhausted_at?: components["schemas"]["IgnoredField"];
            counts_from?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        ConcurrencyLimitReachedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "concurrency_limit.reached";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                concurrency_limit_id: string;
                scope_kind: string;
                scope_id: string | null;
                max_runs: components["schemas"]["Count"];
                running: components["schemas"]["Count"];
            };
        };
        ConcurrencyLimitReplacement: {
            name: string;
            max_runs: number;
            id?: components["schemas"]["ReadOnlyField"];
            scope_kind?: components["schemas"]["ReadOnlyField"];
            scope_id?: components["schemas"]["ReadOnlyField"];
            running?: components["schemas"]["IgnoredField"];
            refused_count?: components["schemas"]["IgnoredField"];
            exhausted_at?: components["schemas"]["IgnoredField"];
            counts_from?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        ConfirmedMailAddress: {
            address: string;
            confirmed_at: components["schemas"]["Timestamp"];
        };
        ConflictError: {
            error: {
                /** @enum {string} */
                code: "conflict";
                message: string;
                details: Record<string, never>;
            };
        };
        ContentSafety: {
            detectors: {
                card_number: components["schemas"]["Detector"];
                iban: components["schemas"]["Detector"];
                national_id: components["schemas"]["Detector"];
                email: components["schemas"]["Detector"];
                phone: components["schemas"]["Detector"];
                secret: components["schemas"]["Detector"];
                prompt_injection: components["schemas"]["Detector"];
            };
            patterns: components["schemas"]["OwnPattern"][];
            allow_list: string[];
            updated_at: components["schemas"]["Timestamp"] | null;
        };
        ContentSafetyBlockedError: {
            error: {
                /** @enum {string} */
                code: "content_safety_blocked";
                message: string;
                details: {
                    detector: string;
                    sample: string;
                };
            };
        };
        ContentSafetyDetectedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "content_safety.detected";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                detector: string;
                mode: string;
                hits: components["schemas"]["Count"];
                key_id: string;
                model: string | null;
                workflow_id: string | null;
                customer_id: string | null;
            };
        };
        ContentSafetyInput: {
            detectors?: components["schemas"]["DetectorsInput"];
            patterns?: components["schemas"]["OwnPatternInput"][];
            allow_list?: string[];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        ContentSafetyPatch: {
            detectors?: components["schemas"]["DetectorsInput"];
            patterns?: components["schemas"]["OwnPatternInput"][];
            allow_list?: string[];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        ContentSafetyReplacement: {
            detectors?: components["schemas"]["DetectorsInput"];
            patterns?: components["schemas"]["OwnPatternInput"][];
            allow_list?: string[];
        };
        ContentSafetyTest: {
            findings: {
                detector: string;
                mode: components["schemas"]["DetectorMode"];
                hits: components["schemas"]["Count"];
                score: components["schemas"]["Count"];
                threshold: components["schemas"]["DetectorThreshold"];
                fires: boolean;
                sample: string;
            }[];
            blocked_by: string | null;
        };
        ContentSafetyTestInput: {
            input: string | unknown[];
            settings?: components["schemas"]["ContentSafetyReplacement"];
        };
        ContestedForeignKey: {
            id: string;
            org_id: string;
            contest_id: string;
            status: string;
            uses: components["schemas"]["Count"];
            last_used_at: components["schemas"]["Timestamp"] | null;
            contested_at: components["schemas"]["Timestamp"];
            created_at: components["schemas"]["Timestamp"];
        };
        ContestedForeignKeyList: {
            data: components["schemas"]["ContestedForeignKey"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        Count: number;
        CreatedOrg: {
            id: string;
            name: string;
            status: string;
            suspended_at: components["schemas"]["Timestamp"] | null;
            suspension_reason: string | null;
            ip_allow_list: string[];
            required_dimensions: string[];
            residency: string;
            home_region: string | null;
            timezone: string;
            max_new_values_per_day: number | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
            owner_key: components["schemas"]["KeyWithSecret"];
        };
        CreatedSubscription: {
            id: string;
            org_id: string;
            url: string;
            destination: components["schemas"]["Destination"];
            unconfirmed_recipients: string[];
            events: string[];
            description: string;
            ordered: boolean;
            enabled: boolean;
            disabled_reason: string | null;
            disabled_at: components["schemas"]["Timestamp"] | null;
            created_by_grant: string | null;
            signing_version: number;
            health: components["schemas"]["Health"];
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
            secret?: string;
        };
        CreatorId: string;
        CreditPack: {
            id: string;
            customer_id: string;
            name: string | null;
            amount_usd: components["schemas"]["Usd"];
            spent_usd: components["schemas"]["Usd"];
            held_usd: components["schemas"]["Usd"];
            remaining_usd: components["schemas"]["Usd"];
            refused_count: components["schemas"]["Count"];
            exhausted_at: components["schemas"]["Timestamp"] | null;
            priority: number;
            expires_at: components["schemas"]["Timestamp"] | null;
            status: string;
            voided_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        CreditPackDepletedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "credit_pack.depleted";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                credit_pack_id: string;
                customer_id: string;
                amount_usd: components["schemas"]["Usd"];
                spent_usd: components["schemas"]["Usd"];
            };
        };
        CreditPackInput: {
            amount_usd: components["schemas"]["Usd"];
            name?: string;
            /** @default 100 */
            priority?: number;
            expires_at?: components["schemas"]["Moment"];
        };
        CreditPackList: {
            data: components["schemas"]["CreditPack"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        CreditPackLowEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "credit_pack.low";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                credit_pack_id: string;
                customer_id: string;
                amount_usd: components["schemas"]["Usd"];
                spent_usd: components["schemas"]["Usd"];
            };
        };
        CreditPackStoppedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "credit_pack.stopped";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                credit_pack_id: string;
                customer_id: string;
                amount_usd: components["schemas"]["Usd"];
                spent_usd: components["schemas"]["Usd"];
                held_usd: components["schemas"]["Usd"];
                attempted_usd: components["schemas"]["Usd"];
            };
        };
        CreditsExhaustedError: {
            error: {
                /** @enum {string} */
                code: "credits_exhausted";
                message: string;
                details: {
                    available_usd: components["schemas"]["Usd"];
                    attempted_usd: components["schemas"]["Usd"];
                    decision_id?: string;
                    index?: components["schemas"]["Count"];
                    settled?: components["schemas"]["SettledRun"][];
                    fits?: string;
                    remaining_usd?: components["schemas"]["Usd"];
                    fits_max_output_tokens?: components["schemas"]["Count"];
                };
            };
        };
        CustomerDefault: {
            id: string;
            max_new_customers_per_day: number;
            limit_usd: components["schemas"]["Usd"] | null;
            spent_usd: components["schemas"]["Usd"];
            held_usd: components["schemas"]["Usd"];
            remaining_usd: components["schemas"]["Usd"] | null;
            overrun_usd: components["schemas"]["Usd"];
            late_usd: components["schemas"]["Usd"];
            refused_count: components["schemas"]["Count"];
            exhausted_at: components["schemas"]["Timestamp"] | null;
            period_start: components["schemas"]["Timestamp"];
            period_end: components["schemas"]["Timestamp"];
            period: components["schemas"]["Period"];
            timezone: string;
            anchor: string | null;
            next_schedule: components["schemas"]["NextSchedule"] | null;
            thresholds: number[];
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        CustomerDefaultInput: {
            limit_usd: components["schemas"]["Usd"] | null;
            /** @enum {unknown} */
            period: "day" | "week" | "month" | "quarter" | "year";
            timezone?: components["schemas"]["Timezone"];
            anchor?: components["schemas"]["PeriodAnchor"] | null;
            thresholds?: components["schemas"]["Thresholds"];
            /** @default 10000 */
            max_new_customers_per_day?: number;
            id?: components["schemas"]["ReadOnlyField"];
            spent_usd?: components["schemas"]["IgnoredField"];
            held_usd?: components["schemas"]["IgnoredField"];
            remaining_usd?: components["schemas"]["IgnoredField"];
            overrun_usd?: components["schemas"]["IgnoredField"];
            late_usd?: components["schemas"]["IgnoredField"];
            refused_count?: components["schemas"]["IgnoredField"];
            exhausted_at?: components["schemas"]["IgnoredField"];
            period_start?: components["schemas"]["IgnoredField"];
            period_end?: components["schemas"]["IgnoredField"];
            next_schedule?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        CustomerDefaultOrNotSet: {
            id: string | null;
            max_new_customers_per_day: number | null;
            limit_usd: components["schemas"]["Usd"] | null;
            spent_usd: components["schemas"]["Usd"] | null;
            held_usd: components["schemas"]["Usd"] | null;
            remaining_usd: components["schemas"]["Usd"] | null;
            overrun_usd: components["schemas"]["Usd"] | null;
            late_usd: components["schemas"]["Usd"] | null;
            refused_count: components["schemas"]["Count"] | null;
            exhausted_at: components["schemas"]["Timestamp"] | null;
            period_start: components["schemas"]["Timestamp"] | null;
            period_end: components["schemas"]["Timestamp"] | null;
            period: components["schemas"]["Period"] | null;
            timezone: string | null;
            anchor: string | null;
            next_schedule: components["schemas"]["NextSchedule"] | null;
            thresholds: number[] | null;
            created_at: components["schemas"]["Timestamp"] | null;
            updated_at: components["schemas"]["Timestamp"] | null;
        };
        CustomerLimit: {
            id: string;
            customer_id: string;
            limit_usd: components["schemas"]["Usd"] | null;
            spent_usd: components["schemas"]["Usd"];
            held_usd: components["schemas"]["Usd"];
            remaining_usd: components["schemas"]["Usd"] | null;
            overrun_usd: components["schemas"]["Usd"];
            late_usd: components["schemas"]["Usd"];
            refused_count: components["schemas"]["Count"];
            exhausted_at: components["schemas"]["Timestamp"] | null;
            period_start: components["schemas"]["Timestamp"];
            period_end: components["schemas"]["Timestamp"];
            period: components["schemas"]["Period"];
            timezone: string;
            anchor: string | null;
            next_schedule: components["schemas"]["NextSchedule"] | null;
            thresholds: number[];
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        CustomerLimitDefaultPatch: {
            limit_usd?: components["schemas"]["Usd"] | null;
            /** @enum {unknown} */
            period?: "day" | "week" | "month" | "quarter" | "year";
            timezone?: components["schemas"]["Timezone"];
            anchor?: components["schemas"]["PeriodAnchor"] | null;
            thresholds?: components["schemas"]["Thresholds"];
            /** @default 10000 */
            max_new_customers_per_day?: number;
            id?: components["schemas"]["ReadOnlyField"];
            spent_usd?: components["schemas"]["IgnoredField"];
            held_usd?: components["schemas"]["IgnoredField"];
            remaining_usd?: components["schemas"]["IgnoredField"];
            overrun_usd?: components["schemas"]["IgnoredField"];
            late_usd?: components["schemas"]["IgnoredField"];
            refused_count?: components["schemas"]["IgnoredField"];
            exhausted_at?: components["schemas"]["IgnoredField"];
            period_start?: components["schemas"]["IgnoredField"];
            period_end?: components["schemas"]["IgnoredField"];
            next_schedule?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        CustomerLimitExceededEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "customer_limit.exceeded";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                customer_limit_id: string;
                customer_id: string | null;
                limit_usd: components["schemas"]["Usd"];
                spent_usd: components["schemas"]["Usd"];
                period_start: components["schemas"]["Timestamp"];
                period_end: components["schemas"]["Timestamp"];
            };
        };
        CustomerLimitInput: {
            limit_usd: components["schemas"]["Usd"] | null;
            /** @enum {unknown} */
            period: "day" | "week" | "month" | "quarter" | "year";
            timezone?: components["schemas"]["Timezone"];
            anchor?: components["schemas"]["PeriodAnchor"] | null;
            thresholds?: components["schemas"]["Thresholds"];
            id?: components["schemas"]["ReadOnlyField"];
            customer_id?: components["schemas"]["ReadOnlyField"];
            spent_usd?: components["schemas"]["IgnoredField"];
            held_usd?: components["schemas"]["IgnoredField"];
            remaining_usd?: components["schemas"]["IgnoredField"];
            overrun_usd?: components["schemas"]["IgnoredField"];
            late_usd?: components["schemas"]["IgnoredField"];
            refused_count?: components["schemas"]["IgnoredField"];
            exhausted_at?: components["schemas"]["IgnoredField"];
            period_start?: components["schemas"]["IgnoredField"];
            period_end?: components["schemas"]["IgnoredField"];
            next_schedule?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        CustomerLimitList: {
            data: components["schemas"]["CustomerLimit"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        CustomerLimitOrNotSet: {
            id: string | null;
            customer_id: string | null;
            limit_usd: components["schemas"]["Usd"] | null;
            spent_usd: components["schemas"]["Usd"] | null;
            held_usd: components["schemas"]["Usd"] | null;
            remaining_usd: components["schemas"]["Usd"] | null;
            overrun_usd: components["schemas"]["Usd"] | null;
            late_usd: components["schemas"]["Usd"] | null;
            refused_count: components["schemas"]["Count"] | null;
            exhausted_at: components["schemas"]["Timestamp"] | null;
            period_start: components["schemas"]["Timestamp"] | null;
            period_end: components["schemas"]["Timestamp"] | null;
            period: components["schemas"]["Period"] | null;
            timezone: string | null;
            anchor: string | null;
            next_schedule: components["schemas"]["NextSchedule"] | null;
            thresholds: number[] | null;
            created_at: components["schemas"]["Timestamp"] | null;
            updated_at: components["schemas"]["Timestamp"] | null;
        };
        CustomerLimitPatch: {
            limit_usd?: components["schemas"]["Usd"] | null;
            /** @enum {unknown} */
            period?: "day" | "week" | "month" | "quarter" | "year";
            timezone?: components["schemas"]["Timezone"];
            anchor?: components["schemas"]["PeriodAnchor"] | null;
            thresholds?: components["schemas"]["Thresholds"];
            id?: components["schemas"]["ReadOnlyField"];
            customer_id?: components["schemas"]["ReadOnlyField"];
            spent_usd?: components["schemas"]["IgnoredField"];
            held_usd?: components["schemas"]["IgnoredField"];
            remaining_usd?: components["schemas"]["IgnoredField"];
            overrun_usd?: components["schemas"]["IgnoredField"];
            late_usd?: components["schemas"]["IgnoredField"];
            refused_count?: components["schemas"]["IgnoredField"];
            exhausted_at?: components["schemas"]["IgnoredField"];
            period_start?: components["schemas"]["IgnoredField"];
            period_end?: components["schemas"]["IgnoredField"];
            next_schedule?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        CustomerLimitStoppedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "customer_limit.stopped";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                customer_limit_id: string;
                customer_id: string | null;
                limit_usd: components["schemas"]["Usd"];
                spent_usd: components["schemas"]["Usd"];
                period_start: components["schemas"]["Timestamp"];
                period_end: components["schemas"]["Timestamp"];
                held_usd: components["schemas"]["Usd"];
                attempted_usd: components["schemas"]["Usd"];
            };
        };
        CustomerLimitThresholdCrossedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "customer_limit.threshold_crossed";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                threshold_percent: number;
                customer_limit_id: string;
                customer_id: string | null;
                limit_usd: components["schemas"]["Usd"];
                spent_usd: components["schemas"]["Usd"];
                period_start: components["schemas"]["Timestamp"];
                period_end: components["schemas"]["Timestamp"];
            };
        };
        DailyMatches: {
            from: components["schemas"]["Timestamp"];
            to: components["schemas"]["Timestamp"];
            data: {
                day: string;
                rule_id: string;
                outcome: string;
                shadow: boolean;
                count: components["schemas"]["Count"];
            }[];
        };
        DailyRefusals: {
            from: components["schemas"]["Timestamp"];
            to: components["schemas"]["Timestamp"];
            data: {
                day: string;
                error_code: string;
                count: components["schemas"]["Count"];
            }[];
        };
        DecisionInput: {
            model: string;
            provider?: string;
            estimated_cost_usd?: components["schemas"]["Usd"];
            input_tokens?: number;
            max_output_tokens?: number;
            min_output_tokens?: number;
            /**
             * @default standard
             * @enum {unknown}
             */
            service_tier?: "standard" | "priority" | "flex" | "batch";
            /**
             * @default 1h
             * @enum {unknown}
             */
            cache_creation?: "none" | "5m" | "1h";
            units?: components["schemas"]["Units"];
            workflow_id?: components["schemas"]["OwnId"];
            deployment_id?: components["schemas"]["OwnId"];
            department_id?: components["schemas"]["OwnId"];
            customer_id?: components["schemas"]["OwnId"];
            user_id?: components["schemas"]["OwnId"];
            tags?: string[];
            managed?: boolean;
            /** @default 600 */
            lease_seconds?: number;
            dry_run?: boolean;
        };
        DecisionRefusedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "decision.refused";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                decision_id: string;
                error_code: string;
                message: string;
                decided_by: string | null;
                estimated_cost_usd: components["schemas"]["Usd"];
                model: string;
                provider: string | null;
                workflow_id: string | null;
                deployment_id: string | null;
                department_id: string | null;
                customer_id: string | null;
                user_id: string | null;
            };
        };
        DefaultUsage: {
            scope_id: string;
            limit_usd: components["schemas"]["Usd"] | null;
            spent_usd: components["schemas"]["Usd"];
            held_usd: components["schemas"]["Usd"];
            remaining_usd: components["schemas"]["Usd"] | null;
            overrun_usd: components["schemas"]["Usd"];
            late_usd: components["schemas"]["Usd"];
            refused_count: components["schemas"]["Count"];
            exhausted_at: components["schemas"]["Timestamp"] | null;
            period_start: components["schemas"]["Timestamp"];
            period_end: components["schemas"]["Timestamp"];
        };
        DefaultUsageList: {
            data: components["schemas"]["DefaultUsage"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        Delivery: {
            id: string;
            event_id: string;
            type: string;
            status: string;
            trigger: string;
            event_count: components["schemas"]["Count"];
            attempts: components["schemas"]["Attempt"][];
            attempt_count: components["schemas"]["Count"];
            next_attempt_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
            ended_at: components["schemas"]["Timestamp"] | null;
        };
        DeliveryList: {
            data: components["schemas"]["Delivery"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        DenyInput: {
            note?: string;
        };
        DeploymentReturn: {
            deployment_id: string | null;
            runs: components["schemas"]["Count"];
            team_count: components["schemas"]["Count"];
            value_usd: string;
            cost_usd: string;
            return_usd: string;
            return_per_team_usd: string;
            projections: components["schemas"]["Projection"][];
        };
        DeprecatedCalls: {
            route: string;
            method: string;
            since: components["schemas"]["IsoDate"];
            sunset: string;
            replacement?: string;
            documentation: string;
            caller_id: string;
            name: string | null;
            calls: components["schemas"]["Count"];
            first_day: components["schemas"]["IsoDate"];
            last_called_at: components["schemas"]["Timestamp"];
        };
        DeprecatedCallsList: {
            data: components["schemas"]["DeprecatedCalls"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        DeprecationAnnouncedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "deprecation.announced";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                deprecation_id: string;
                surface: string;
                since: string;
                sunset: components["schemas"]["Timestamp"] | null;
                migration: string;
                documentation: string;
            };
        };
        DeprecationEntry: {
            route: string;
            method: string;
            since: components["schemas"]["IsoDate"];
            sunset: string;
            replacement?: string;
            documentation: string;
        };
        Destination: {
            kind: string;
            format?: string;
            channel?: string;
            events_url?: string;
            recipients?: string[];
            digest_seconds?: number;
        };
        /**
         * @default {
         *       "kind": "https",
         *       "format": "weir"
         *     }
         */
        DestinationInput: {
            /** @enum {unknown} */
            kind: "https" | "slack" | "teams" | "pagerduty" | "email";
            /** @enum {unknown} */
            format?: "weir" | "cloudevents";
            channel?: string;
            events_url?: string;
            recipients?: string[];
            digest_seconds?: number;
            webhook_url?: string;
            bot_token?: string;
            routing_key?: string;
        };
        Detector: {
            mode: components["schemas"]["DetectorMode"];
            threshold: components["schemas"]["DetectorThreshold"];
        };
        DetectorInput: {
            /** @enum {unknown} */
            mode: "off" | "alert" | "block";
            threshold?: components["schemas"]["DetectorThreshold"];
        };
        DetectorMode: string;
        DetectorThreshold: number;
        DetectorsInput: {
            card_number?: components["schemas"]["DetectorInput"];
            iban?: components["schemas"]["DetectorInput"];
            national_id?: components["schemas"]["DetectorInput"];
            email?: components["schemas"]["DetectorInput"];
            phone?: components["schemas"]["DetectorInput"];
            secret?: components["schemas"]["DetectorInput"];
            prompt_injection?: components["schemas"]["DetectorInput"];
        };
        Dimension: {
            dimension: string;
            values: string[];
            pattern: string | null;
            on_unknown: string;
            created_at: components["schemas"]["Timestamp"] | null;
            updated_at: components["schemas"]["Timestamp"] | null;
        };
        DimensionInput: {
            values?: components["schemas"]["OwnId"][];
            pattern?: string | null;
            /** @enum {unknown} */
            on_unknown: "allow" | "default_limit" | "refuse";
            dimension?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        DimensionList: {
            data: components["schemas"]["Dimension"][];
        };
        DimensionPatch: {
            values?: components["schemas"]["OwnId"][];
            pattern?: string | null;
            /** @enum {unknown} */
            on_unknown?: "allow" | "default_limit" | "refuse";
            dimension?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        DirectoryRoles: {
            rules: {
                group: string;
                role: string;
            }[];
            default_role: string;
            created_at: components["schemas"]["Timestamp"] | null;
            updated_at: components["schemas"]["Timestamp"] | null;
        };
        DirectoryRolesInput: {
            rules: {
                group: string;
                /** @enum {unknown} */
                role: "owner" | "admin" | "member" | "viewer";
            }[];
            /**
             * @default viewer
             * @enum {unknown}
             */
            default_role?: "owner" | "admin" | "member" | "viewer";
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        DirectoryRolesPatch: {
            rules?: {
                group: string;
                /** @enum {unknown} */
                role: "owner" | "admin" | "member" | "viewer";
            }[];
            /**
             * @default viewer
             * @enum {unknown}
             */
            default_role?: "owner" | "admin" | "member" | "viewer";
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        Domain: {
            id: string;
            org_id: string;
            domain: string;
            description: string;
            status: string;
            connection_id: string | null;
            record: components["schemas"]["DomainRecord"];
            verified_at: components["schemas"]["Timestamp"] | null;
            checked_at: components["schemas"]["Timestamp"] | null;
            missed_days: number;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        DomainInput: {
            domain: string;
            /** @default  */
            description?: string;
            /** @default null */
            connection_id?: string | null;
        };
        DomainList: {
            data: components["schemas"]["Domain"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        DomainPatch: {
            /** @default  */
            description?: string;
            /** @default null */
            connection_id?: string | null;
            id?: components["schemas"]["ReadOnlyField"];
            org_id?: components["schemas"]["ReadOnlyField"];
            domain?: components["schemas"]["ReadOnlyField"];
            status?: components["schemas"]["ReadOnlyField"];
            record?: components["schemas"]["ReadOnlyField"];
            verified_at?: components["schemas"]["ReadOnlyField"];
            checked_at?: components["schemas"]["ReadOnlyField"];
            missed_days?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        DomainRecord: {
            type: string;
            name: string;
            value: string;
        };
        DomainReplacement: {
            /** @default  */
            description?: string;
            /** @default null */
            connection_id?: string | null;
            id?: components["schemas"]["ReadOnlyField"];
            org_id?: components["schemas"]["ReadOnlyField"];
            domain?: components["schemas"]["ReadOnlyField"];
            status?: components["schemas"]["ReadOnlyField"];
            record?: components["schemas"]["ReadOnlyField"];
            verified_at?: components["schemas"]["ReadOnlyField"];
            checked_at?: components["schemas"]["ReadOnlyField"];
            missed_days?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        DryRun: {
            decision: string;
            decision_id: string;
            model: string;
            provider: string | null;
            reserved_usd: components["schemas"]["Usd"];
            max_output_tokens: components["schemas"]["Count"];
            remaining_usd: components["schemas"]["Usd"] | null;
        };
        EdgeDecision: {
            decision: string;
            decision_id: string;
            reservation_id: string | null;
            reserved_usd: components["schemas"]["Usd"];
            remaining_usd: string | null;
            max_output_tokens: components["schemas"]["Count"];
            expires_at: string | null;
        };
        Entitlement: {
            used: components["schemas"]["Count"];
            held: components["schemas"]["Count"];
            remaining: components["schemas"]["Count"] | null;
            refused_count: components["schemas"]["Count"];
            exhausted_at: components["schemas"]["Timestamp"] | null;
        };
        Error: {
            error: {
                code: string;
                message: string;
                details: {
                    [key: string]: unknown;
                };
            };
        };
        ErrorEntry: {
            code: string;
            statuses: number[];
            message: string;
            details: {
                [key: string]: unknown;
            };
        };
        ErrorEntryList: {
            data: components["schemas"]["ErrorEntry"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        EvalExpiredEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "eval.expired";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                route_id: string;
                route: string;
                eval_id: string;
                suite: string;
                model: string;
                provider: string | null;
                measured_at: components["schemas"]["Timestamp"];
                max_age_seconds: components["schemas"]["Count"];
            };
        };
        EvalResult: {
            id: string;
            suite: string;
            model: string;
            provider: string | null;
            score: number;
            samples: components["schemas"]["Count"];
            latency_ms: components["schemas"]["Count"] | null;
            measured_at: components["schemas"]["Timestamp"];
            created_at: components["schemas"]["Timestamp"];
        };
        EvalResultList: {
            data: components["schemas"]["EvalResult"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        EvalsInput: {
            results: {
                suite: string;
                model: components["schemas"]["OwnId"];
                provider?: string | null;
                score: number;
                samples: number;
                latency_ms?: number | null;
                measured_at?: components["schemas"]["Moment"];
            }[];
        };
        EvaluateInput: {
            run: {
                model: components["schemas"]["OwnId"];
                provider?: string;
                operation?: string;
                action?: components["schemas"]["OwnId"];
                workflow_id?: components["schemas"]["OwnId"];
                deployment_id?: components["schemas"]["OwnId"];
                department_id?: components["schemas"]["OwnId"];
                customer_id?: components["schemas"]["OwnId"];
                user_id?: components["schemas"]["OwnId"];
                input_tokens?: number;
                max_output_tokens?: number;
                estimated_cost_usd?: components["schemas"]["Usd"];
                has_input?: boolean;
                tags?: string[];
                metadata?: components["schemas"]["Metadata"];
            };
            key?: {
                id?: string;
                role?: string;
                scopes?: string[];
            };
            chain?: {
                id?: components["schemas"]["OwnId"];
                depth?: number;
                cost_usd?: components["schemas"]["Usd"];
            };
            at?: components["schemas"]["Moment"];
            rules?: components["schemas"]["RuleInput"][];
        };
        Evaluation: {
            outcome: string;
            decided_by: {
                rule_id: string | null;
                index: components["schemas"]["Count"] | null;
                name: string;
                reason: string;
                attempted: string;
            } | null;
            shadow: {
                rule_id: string | null;
                index: components["schemas"]["Count"] | null;
                name: string;
                outcome: string;
            } | null;
            error_code: string | null;
            rules: {
                rule_id: string | null;
                index: components["schemas"]["Count"] | null;
                name: string;
                effect: string;
                shadow: boolean;
                status: string;
                decided: boolean;
                reached: boolean;
                why: string;
            }[];
            set_version: components["schemas"]["Count"];
        };
        EventId: string;
        EventTime: string;
        Exhaustion: {
            limit_id: string;
            kind: string;
            name: string;
            enforcement: string;
            limit: components["schemas"]["ForecastAmount"];
            used: components["schemas"]["ForecastAmount"];
            date: components["schemas"]["IsoDate"] | null;
            earliest: components["schemas"]["IsoDate"] | null;
            latest: components["schemas"]["IsoDate"] | null;
            within_period: boolean;
        };
        Explanation: {
            decision_id: string;
            decision: string;
            dry_run: boolean;
            key_id: components["schemas"]["CreatorId"] | null;
            reservation: components["schemas"]["Reservation"] | null;
            decided_at: components["schemas"]["Timestamp"];
            decided_by: string | null;
            error_code: string | null;
            inputs: {
                [key: string]: unknown;
            };
            price: {
                basis: string;
                price_id: string | null;
                amount_usd: components["schemas"]["Usd"];
            };
            limits: components["schemas"]["LimitRead"][];
            granted_output_tokens?: components["schemas"]["Count"];
            rules_version: components["schemas"]["Count"];
        };
        ExtendInput: {
            /** @default 600 */
            lease_seconds?: number;
            max_output_tokens?: number;
            estimated_cost_usd?: components["schemas"]["Usd"];
        };
        FieldError: {
            field: string;
            code: string;
            message: string;
        };
        FinishInput: {
            /** @enum {unknown} */
            status: "succeeded" | "failed" | "cancelled";
            model?: components["schemas"]["OwnId"];
            provider?: string;
            workflow_id?: components["schemas"]["OwnId"];
            deployment_id?: components["schemas"]["OwnId"];
            department_id?: components["schemas"]["OwnId"];
            customer_id?: components["schemas"]["OwnId"];
            user_id?: components["schemas"]["OwnId"];
            chain_id?: components["schemas"]["OwnId"];
            input_tokens?: number;
            output_tokens?: number;
            cache_read_input_tokens?: number;
            cache_creation_input_tokens?: number;
            reasoning_output_tokens?: number;
            /** @enum {unknown} */
            service_tier?: "standard" | "priority" | "flex" | "batch";
            cache_creation_1h_input_tokens?: number;
            audio_input_tokens?: number;
            image_input_tokens?: number;
            video_input_tokens?: number;
            cache_read_audio_input_tokens?: number;
            cache_read_image_input_tokens?: number;
            audio_output_tokens?: number;
            image_output_tokens?: number;
            video_output_tokens?: number;
            citation_output_tokens?: number;
            units?: components["schemas"]["Units"];
            parts?: components["schemas"]["UsagePart"][];
            cost_usd?: components["schemas"]["Usd"];
            value_usd?: components["schemas"]["Usd"];
            ended_at?: components["schemas"]["Moment"];
            estimated?: boolean;
        };
        FinishedRun: {
            id: string;
            status: string;
            model: string;
            provider: string | null;
            operation: string | null;
            action: string | null;
            workflow_id: string | null;
            deployment_id: string | null;
            department_id: string | null;
            customer_id: string | null;
            user_id: string | null;
            chain_id: string | null;
            parent_run_id: string | null;
            depth: components["schemas"]["Count"] | null;
            external_id: string | null;
            key_id: components["schemas"]["CreatorId"] | null;
            reservation_id: string | null;
            decision_id: string | null;
            input_tokens: number | null;
            output_tokens: number | null;
            cache_read_input_tokens: number | null;
            cache_creation_input_tokens: number | null;
            reasoning_output_tokens: number | null;
            usage_detail: components["schemas"]["UsageDetail"] | null;
            cost_usd: components["schemas"]["Usd"] | null;
            cost_basis: string | null;
            reserved_usd: components["schemas"]["Usd"] | null;
            max_output_tokens?: components["schemas"]["Count"];
            overrun_usd: components["schemas"]["Usd"] | null;
            value_usd: components["schemas"]["Usd"] | null;
            tags: string[];
            metadata: {
                [key: string]: unknown;
            };
            started_at: components["schemas"]["Timestamp"];
            ended_at: components["schemas"]["Timestamp"] | null;
            expires_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
            ignored_fields?: string[];
        };
        ForbiddenError: {
            error: {
                /** @enum {string} */
                code: "forbidden";
                message: string;
                details: Record<string, never>;
            };
        };
        ForecastAmount: string | number;
        ForecastError: {
            origins: components["schemas"]["Count"];
            days_ahead: components["schemas"]["Count"];
            mase: number | null;
            wape: number | null;
            coverage_80: number | null;
        };
        ForecastStep: {
            start: components["schemas"]["IsoDate"];
            end: components["schemas"]["IsoDate"];
            mean: components["schemas"]["ForecastAmount"];
            p50: components["schemas"]["ForecastAmount"][];
            p80: components["schemas"]["ForecastAmount"][];
            p95: components["schemas"]["ForecastAmount"][];
        };
        ForecastTotal: {
            mean: components["schemas"]["ForecastAmount"];
            p50: components["schemas"]["ForecastAmount"][];
            p80: components["schemas"]["ForecastAmount"][];
            p95: components["schemas"]["ForecastAmount"][];
        };
        ForecastTraining: {
            from: components["schemas"]["IsoDate"];
            to: components["schemas"]["IsoDate"];
            days: components["schemas"]["Count"];
        };
        Forecasts: {
            metric: string;
            unit: string;
            by: string | null;
            step: string;
            timezone: string;
            today: components["schemas"]["IsoDate"];
            horizon_days: components["schemas"]["Count"];
            computed_at: components["schemas"]["Timestamp"];
            total: {
                history: {
                    start: components["schemas"]["IsoDate"];
                    end: components["schemas"]["IsoDate"];
                    value: components["schemas"]["ForecastAmount"];
                }[];
                used_today: components["schemas"]["ForecastAmount"];
                forecast: components["schemas"]["ForecastStep"][];
                total: components["schemas"]["ForecastTotal"] | null;
                method: string;
                training: components["schemas"]["ForecastTraining"] | null;
                error: components["schemas"]["ForecastError"] | null;
                confidence: string;
                reasons: string[];
                exhaustion: components["schemas"]["Exhaustion"][];
            };
            series: {
                key: string | null;
                is_other: boolean;
                history: {
                    start: components["schemas"]["IsoDate"];
                    end: components["schemas"]["IsoDate"];
                    value: components["schemas"]["ForecastAmount"];
                }[];
                used_today: components["schemas"]["ForecastAmount"];
                forecast: components["schemas"]["ForecastStep"][];
                total: components["schemas"]["ForecastTotal"] | null;
                method: string;
                training: components["schemas"]["ForecastTraining"] | null;
                error: components["schemas"]["ForecastError"] | null;
                confidence: string;
                reasons: string[];
                exhaustion: components["schemas"]["Exhaustion"][];
            }[];
            scenarios: components["schemas"]["Scenario"][];
        };
        ForeignKey: {
            id: string;
            key_id: string;
            name: string;
            owner_id: string | null;
            pins: {
                [key: string]: string;
            };
            status: string;
            ends_at: components["schemas"]["Timestamp"];
            uses: components["schemas"]["Count"];
            last_used_at: components["schemas"]["Timestamp"] | null;
            ended_at: components["schemas"]["Timestamp"] | null;
            contested_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
        };
        ForeignKeyList: {
            data: components["schemas"]["ForeignKey"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        ForeignKeysInput: {
            keys: {
                sha256: string;
                name: string;
                pins?: components["schemas"]["Pins"];
                owner_id?: string | null;
                /** Format: date-time */
                expires_at?: string;
                ends_at?: components["schemas"]["Moment"];
            }[];
            /** @default false */
            dry_run?: boolean;
        };
        Freeze: {
            id: string;
            target_kind: string;
            target_id: string;
            reason: string;
            frozen_at: components["schemas"]["Timestamp"];
        };
        FreezeInput: {
            reason: string;
        };
        FreezeLiftedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "freeze.lifted";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                freeze_id: string;
                target_kind: string;
                target_id: string;
                reason: string;
                frozen_at: components["schemas"]["Timestamp"];
            };
        };
        FreezeList: {
            data: components["schemas"]["Freeze"][];
        };
        FreezeSetEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "freeze.set";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                freeze_id: string;
                target_kind: string;
                target_id: string;
                reason: string;
                frozen_at: components["schemas"]["Timestamp"];
            };
        };
        Frozen: {
            reason: string;
            frozen_at: components["schemas"]["Timestamp"];
        };
        FrozenError: {
            error: {
                /** @enum {string} */
                code: "frozen";
                message: string;
                details: {
                    freeze_id: string;
                    /** @enum {unknown} */
                    target_kind: "org" | "key" | "limit";
                    target_id: string;
                    reason: string;
                    frozen_at: components["schemas"]["Timestamp"];
                    decision_id?: string;
                    index?: components["schemas"]["Count"];
                    settled?: components["schemas"]["SettledRun"][];
                    fits?: string;
                    remaining_usd?: components["schemas"]["Usd"];
                    fits_max_output_tokens?: components["schemas"]["Count"];
                };
            };
        };
        GoneError: {
            error: {
                /** @enum {string} */
                code: "gone";
                message: string;
                details: Record<string, never>;
            };
        };
        Grant: {
            max_runs: components["schemas"]["Count"];
            runs_started: components["schemas"]["Count"];
            max_amount_usd: components["schemas"]["Usd"] | null;
            spent_usd: components["schemas"]["Usd"];
            held_usd: components["schemas"]["Usd"];
        };
        GrantInput: {
            org_id: string;
            /** @enum {unknown} */
            scope: "read" | "billing" | "configuration";
            reason: string;
            duration_seconds: number;
        };
        GrantWithToken: {
            id: string;
            org_id: string;
            operator_key_id: string;
            scope: string;
            reason: string;
            status: string;
            expires_at: components["schemas"]["Timestamp"];
            revoked_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
            token: string;
        };
        Health: {
            status: string;
            consecutive_failures: components["schemas"]["Count"];
            failing_since: components["schemas"]["Timestamp"] | null;
            last_attempt_at: components["schemas"]["Timestamp"] | null;
            last_success_at: components["schemas"]["Timestamp"] | null;
            latency_ms: components["schemas"]["Count"] | null;
            pending: components["schemas"]["Count"];
            oldest_pending_at: components["schemas"]["Timestamp"] | null;
        };
        IdempotencyKeyConflictError: {
            error: {
                /** @enum {string} */
                code: "idempotency_key_conflict";
                message: string;
                details: Record<string, never>;
            };
        };
        IdempotencyKeyProcessingError: {
            error: {
                /** @enum {string} */
                code: "idempotency_key_processing";
                message: string;
                details: Record<string, never>;
            };
        };
        IgnoredField: unknown;
        InstallationPricePatch: {
            model?: string;
            provider?: string | null;
            input_usd_per_million?: string;
            output_usd_per_million?: string;
            cache_read_usd_per_million?: string;
            cache_write_usd_per_million?: string;
            other_usd_per_million?: components["schemas"]["OtherUsdPerMillion"];
            tiers?: components["schemas"]["PriceTier"][];
            units_usd?: {
                [key: string]: components["schemas"]["Usd"];
            };
            multipliers?: components["schemas"]["PriceMultipliers"];
            max_output_tokens?: number | null;
            effective_from?: string;
            id?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
        };
        InstallationPrices: {
            prices: components["schemas"]["OwnPrice"][];
            updated_at: components["schemas"]["Timestamp"] | null;
        };
        InstallationPricesInput: {
            prices: components["schemas"]["NewPrice"][];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        InstallationPricesPatch: {
            prices?: components["schemas"]["NewPrice"][];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        InsufficientCohortSizeError: {
            error: {
                /** @enum {string} */
                code: "insufficient_cohort_size";
                message: string;
                details: {
                    minimum_cohort_size: components["schemas"]["Count"];
                };
            };
        };
        InternalError: {
            error: {
                /** @enum {string} */
                code: "internal";
                message: string;
                details: Record<string, never>;
            };
        };
        Invitation: {
            url: string;
            expires_at: components["schemas"]["Timestamp"];
        };
        InvitedMember: {
            id: string;
            org_id: string;
            email: string;
            name: string;
            role: string;
            status: string;
            external_id: string | null;
            accepted_at: components["schemas"]["Timestamp"] | null;
            deactivated_at: components["schemas"]["Timestamp"] | null;
            removed_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
            invitation: components["schemas"]["Invitation"] | null;
        };
        IpAllowList: {
            ip_allow_list: string[];
        };
        IpAllowListPatch: {
            ip_allow_list?: string[];
            /** @default false */
            force?: boolean;
        };
        IpNotAllowedError: {
            error: {
                /** @enum {string} */
                code: "ip_not_allowed";
                message: string;
                details: Record<string, never>;
            };
        };
        IsoDate: string;
        JournalEntry: {
            id: string;
            batch: components["schemas"]["Count"];
            created_at: components["schemas"]["Timestamp"];
            kind: string;
            reservation_id: string | null;
            key_id: components["schemas"]["CreatorId"] | null;
            change_count: components["schemas"]["Count"];
            changes: {
                limit_id: string;
                kind: string;
                subject: string;
                unit: string;
                period_start: components["schemas"]["Timestamp"] | null;
                period_end: components["schemas"]["Timestamp"] | null;
                spent: string | number;
                held: string | number;
                overrun: string | number;
                late: string | number;
            }[];
            actor: {
                [key: string]: unknown;
            } | null;
            reason: string | null;
        };
        JournalEntryList: {
            data: components["schemas"]["JournalEntry"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        Key: {
            id: string;
            org_id: string;
            name: string;
            role: string;
            scopes: string[];
            pins: {
                [key: string]: string;
            };
            status: string;
            not_before: components["schemas"]["Timestamp"] | null;
            expires_at: components["schemas"]["Timestamp"] | null;
            owner_id: string | null;
            minted_by: string | null;
            rotated_from: string | null;
            rotated_to: string | null;
            last_used_at: components["schemas"]["Timestamp"] | null;
            revoked_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        KeyChange: {
            name: string;
            /** @default null */
            owner_id?: string | null;
            id?: components["schemas"]["ReadOnlyField"];
            org_id?: components["schemas"]["ReadOnlyField"];
            role?: components["schemas"]["ReadOnlyField"];
            scopes?: components["schemas"]["ReadOnlyField"];
            pins?: components["schemas"]["ReadOnlyField"];
            status?: components["schemas"]["IgnoredField"];
            not_before?: components["schemas"]["ReadOnlyField"];
            expires_at?: components["schemas"]["ReadOnlyField"];
            minted_by?: components["schemas"]["ReadOnlyField"];
            rotated_from?: components["schemas"]["ReadOnlyField"];
            rotated_to?: components["schemas"]["ReadOnlyField"];
            last_used_at?: components["schemas"]["IgnoredField"];
            revoked_at?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        KeyCreatedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "key.created";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                key_id: string;
                name: string;
                role: string;
                expires_at: components["schemas"]["Timestamp"] | null;
            };
        };
        KeyExpiredError: {
            error: {
                /** @enum {string} */
                code: "key_expired";
                message: string;
                details: Record<string, never>;
            };
        };
        KeyHeldAtCostEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "key.held_at_cost";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                key_id: string;
                day: string;
                overrun_usd: components["schemas"]["Usd"];
                max_overrun_usd: components["schemas"]["Usd"];
                held_at_usd: components["schemas"]["Usd"];
            };
        };
        KeyInput: {
            name: string;
            /** @enum {unknown} */
            role: "owner" | "admin" | "member" | "viewer" | "service";
            scopes: ("orgs:read" | "orgs:write" | "keys:read" | "keys:write" | "members:read" | "members:write" | "sso:read" | "sso:write" | "audit:read" | "audit:write" | "support:read" | "support:write" | "limits:read" | "limits:write" | "runs:read" | "runs:write" | "usage:read" | "usage:write" | "policies:read" | "policies:write" | "routing:read" | "routing:write" | "webhooks:read" | "webhooks:write" | "benchmarks:read" | "benchmarks:write" | "forecasts:read" | "forecasts:write" | "edge:decide" | "runs:import" | "runs:manage")[];
            pins?: components["schemas"]["Pins"];
            owner_id?: string | null;
            /** Format: date-time */
            not_before?: string;
            /** Format: date-time */
            expires_at?: string;
        };
        KeyList: {
            data: components["schemas"]["Key"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        KeyPatch: {
            name?: string;
            /** @default null */
            owner_id?: string | null;
            id?: components["schemas"]["ReadOnlyField"];
            org_id?: components["schemas"]["ReadOnlyField"];
            role?: components["schemas"]["ReadOnlyField"];
            scopes?: components["schemas"]["ReadOnlyField"];
            pins?: components["schemas"]["ReadOnlyField"];
            status?: components["schemas"]["IgnoredField"];
            not_before?: components["schemas"]["ReadOnlyField"];
            expires_at?: components["schemas"]["ReadOnlyField"];
            minted_by?: components["schemas"]["ReadOnlyField"];
            rotated_from?: components["schemas"]["ReadOnlyField"];
            rotated_to?: components["schemas"]["ReadOnlyField"];
            last_used_at?: components["schemas"]["IgnoredField"];
            revoked_at?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        KeyReporting: {
            key_id: string;
            name: string | null;
            unreported: {
                runs: components["schemas"]["Count"];
                usd: components["schemas"]["Usd"];
            };
            released: {
                runs: components["schemas"]["Count"];
                usd: components["schemas"]["Usd"];
            };
            overrun: {
                runs: components["schemas"]["Count"];
                usd: components["schemas"]["Usd"];
            };
            late: {
                runs: components["schemas"]["Count"];
                usd: components["schemas"]["Usd"];
            };
            held_at_usd: components["schemas"]["Usd"] | null;
        };
        KeyReportingList: {
            data: components["schemas"]["KeyReporting"][];
        };
        KeyRevokedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "key.revoked";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                key_id: string;
                name: string;
                role: string;
                revoked_at: components["schemas"]["Timestamp"];
            };
        };
        KeyRotatedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "key.rotated";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                key_id: string;
                name: string;
                role: string;
                replaced_by: string;
                expires_at: components["schemas"]["Timestamp"];
            };
        };
        KeyTrustPatch: {
            /** @enum {unknown} */
            reported_cost?: "accept" | "raise_only" | "ignore";
            /** @enum {unknown} */
            reported_usage?: "accept" | "raise_only";
            min_lease_seconds?: number;
            /** @enum {unknown} */
            release?: "allow" | "refuse";
            /** @enum {unknown} */
            edge_expiry?: "release" | "charge";
            /** @enum {unknown} */
            over_limit_reports?: "refuse" | "book";
            max_overrun_usd?: components["schemas"]["Usd"] | null;
            start_only?: boolean;
            input_required?: boolean;
            action_required?: boolean;
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        KeyUnreportedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "key.unreported";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                key_id: string;
                day: string;
                unreported_runs: components["schemas"]["Count"];
                unreported_usd: components["schemas"]["Usd"];
            };
        };
        KeyWithSecret: {
            id: string;
            org_id: string;
            name: string;
            role: string;
            scopes: string[];
            pins: {
                [key: string]: string;
            };
            status: string;
            not_before: components["schemas"]["Timestamp"] | null;
            expires_at: components["schemas"]["Timestamp"] | null;
            owner_id: string | null;
            minted_by: string | null;
            rotated_from: string | null;
            rotated_to: string | null;
            last_used_at: components["schemas"]["Timestamp"] | null;
            revoked_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
            secret: string;
        };
        LimitRead: {
            limit_id: string;
            kind: string;
            subject: string;
            unit: string;
            enforcement: string | null;
            limit: (components["schemas"]["Usd"] | components["schemas"]["Count"]) | null;
            spent: components["schemas"]["Usd"] | components["schemas"]["Count"];
            held: components["schemas"]["Usd"] | components["schemas"]["Count"];
            attempted: components["schemas"]["Usd"] | components["schemas"]["Count"];
            fits: boolean;
            period_start: components["schemas"]["Timestamp"] | null;
            period_end: components["schemas"]["Timestamp"] | null;
        };
        LinearForecast: {
            data: components["schemas"]["DeploymentReturn"][];
            next_cursor: components["schemas"]["NextCursor"];
            method: string;
            from: components["schemas"]["Timestamp"];
            to: components["schemas"]["Timestamp"];
        };
        ListedCohort: {
            id: string;
            name: string;
            industry: string | null;
            size: string | null;
            workload: string | null;
            period: string;
            status: string;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
            member: boolean;
            latest_period_start: components["schemas"]["Timestamp"] | null;
        };
        ListedCohortList: {
            data: components["schemas"]["ListedCohort"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        LoggedEvent: {
            id: string;
            type: string;
            created_at: components["schemas"]["Timestamp"];
            org_id: string;
            data: {
                [key: string]: unknown;
            };
            subject: string;
        };
        LoggedEventList: {
            data: components["schemas"]["LoggedEvent"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        LogsBody: {
            resourceLogs?: ({
                resource?: {
                    [key: string]: unknown;
                };
                scopeLogs?: ({
                    logRecords?: {
                        [key: string]: unknown;
                    }[];
                } & {
                    [key: string]: unknown;
                })[];
            } & {
                [key: string]: unknown;
            })[];
        } & {
            [key: string]: unknown;
        };
        MailCode: {
            code: string;
        };
        Me: {
            kind: string;
            id: string;
            org_id: string | null;
            person: {
                id: string;
                email: string;
            } | null;
            role: string;
            scopes: string[];
            pins: {
                [key: string]: string;
            };
            expires_at: components["schemas"]["Timestamp"] | null;
            session: {
                id: string;
                way: string;
                expires_at: components["schemas"]["Timestamp"];
                csrf_token: string;
            } | null;
            limits: {
                reads_per_minute: number | null;
                policies: {
                    kind: string;
                    per: string;
                    match: string | null;
                    amount: number;
                    window_seconds: number;
                }[];
            };
        };
        Member: {
            id: string;
            org_id: string;
            email: string;
            name: string;
            role: string;
            status: string;
            external_id: string | null;
            accepted_at: components["schemas"]["Timestamp"] | null;
            deactivated_at: components["schemas"]["Timestamp"] | null;
            removed_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        MemberChange: {
            /** @default  */
            name?: string;
            /** @enum {unknown} */
            role: "owner" | "admin" | "member" | "viewer";
            id?: components["schemas"]["ReadOnlyField"];
            org_id?: components["schemas"]["ReadOnlyField"];
            email?: components["schemas"]["ReadOnlyField"];
            status?: components["schemas"]["ReadOnlyField"];
            external_id?: components["schemas"]["ReadOnlyField"];
            accepted_at?: components["schemas"]["ReadOnlyField"];
            deactivated_at?: components["schemas"]["ReadOnlyField"];
            removed_at?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        MemberInput: {
            email: string;
            /** @default  */
            name?: string;
            /** @enum {unknown} */
            role: "owner" | "admin" | "member" | "viewer";
        };
        MemberList: {
            data: components["schemas"]["Member"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        MemberPatch: {
            /** @default  */
            name?: string;
            /** @enum {unknown} */
            role?: "owner" | "admin" | "member" | "viewer";
            id?: components["schemas"]["ReadOnlyField"];
            org_id?: components["schemas"]["ReadOnlyField"];
            email?: components["schemas"]["ReadOnlyField"];
            status?: components["schemas"]["ReadOnlyField"];
            external_id?: components["schemas"]["ReadOnlyField"];
            accepted_at?: components["schemas"]["ReadOnlyField"];
            deactivated_at?: components["schemas"]["ReadOnlyField"];
            removed_at?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        MembershipInput: {
            cohort_ids: string[];
            cohorts?: components["schemas"]["ReadOnlyField"];
        };
        Metadata: {
            [key: string]: string | number | boolean;
        };
        MetricsBody: {
            resourceMetrics?: ({
                resource?: {
                    [key: string]: unknown;
                };
                scopeMetrics?: ({
                    metrics?: {
                        [key: string]: unknown;
                    }[];
                } & {
                    [key: string]: unknown;
                })[];
            } & {
                [key: string]: unknown;
            })[];
        } & {
            [key: string]: unknown;
        };
        MissingScopeError: {
            error: {
                /** @enum {string} */
                code: "missing_scope";
                message: string;
                details: {
                    required: string;
                };
            };
        };
        ModelInput: {
            model: components["schemas"]["OwnId"];
            provider?: string | null;
            region?: string | null;
            /** @default [] */
            capabilities?: string[];
            context_tokens?: number | null;
            latency_ms?: number | null;
            /** @default true */
            enabled?: boolean;
        };
        ModelPatch: {
            model?: components["schemas"]["OwnId"];
            provider?: string | null;
            region?: string | null;
            /** @default [] */
            capabilities?: string[];
            context_tokens?: number | null;
            latency_ms?: number | null;
            /** @default true */
            enabled?: boolean;
            id?: components["schemas"]["ReadOnlyField"];
            price?: components["schemas"]["IgnoredField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        ModelReplacement: {
            model: components["schemas"]["OwnId"];
            provider?: string | null;
            region?: string | null;
            /** @default [] */
            capabilities?: string[];
            context_tokens?: number | null;
            latency_ms?: number | null;
            /** @default true */
            enabled?: boolean;
            id?: components["schemas"]["ReadOnlyField"];
            price?: components["schemas"]["IgnoredField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        ModelRoute: {
            id: string;
            name: string;
            strategy: string;
            bar: {
                suite: string;
                min_score: number;
                min_samples: components["schemas"]["Count"];
                max_age_seconds: components["schemas"]["Count"];
            } | null;
            constraints: {
                capabilities: string[];
                regions: string[];
                max_price_usd: components["schemas"]["Usd"] | null;
                max_latency_ms: components["schemas"]["Count"] | null;
                min_context_tokens: components["schemas"]["Count"] | null;
            };
            candidates: {
                model: string;
                provider: string | null;
                weight: number | null;
            }[] | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        ModelRouteList: {
            data: components["schemas"]["ModelRoute"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        /** Format: date-time */
        Moment: string;
        NewPrice: {
            model: string;
            provider?: string | null;
            input_usd_per_million: string;
            output_usd_per_million: string;
            cache_read_usd_per_million?: string;
            cache_write_usd_per_million?: string;
            other_usd_per_million?: components["schemas"]["OtherUsdPerMillion"];
            tiers?: components["schemas"]["PriceTier"][];
            units_usd?: {
                [key: string]: components["schemas"]["Usd"];
            };
            multipliers?: components["schemas"]["PriceMultipliers"];
            max_output_tokens?: number | null;
            effective_from?: string;
            id?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
        };
        NewPriceReplacement: {
            model: string;
            provider?: string | null;
            input_usd_per_million: string;
            output_usd_per_million: string;
            cache_read_usd_per_million?: string;
            cache_write_usd_per_million?: string;
            other_usd_per_million?: components["schemas"]["OtherUsdPerMillion"];
            tiers?: components["schemas"]["PriceTier"][];
            units_usd?: {
                [key: string]: components["schemas"]["Usd"];
            };
            multipliers?: components["schemas"]["PriceMultipliers"];
            max_output_tokens?: number | null;
            effective_from?: string;
        };
        NextCursor: string | null;
        NextSchedule: {
            period: components["schemas"]["Period"];
            timezone: string;
            anchor: string | null;
            from: components["schemas"]["Timestamp"];
        };
        NoModelPassesEvalError: {
            error: {
                /** @enum {string} */
                code: "no_model_passes_eval";
                message: string;
                details: Record<string, never>;
            };
        };
        Node: {
            id: string;
            role: string;
            version: string;
            status: string;
            started_at: components["schemas"]["Timestamp"];
            lease_until: components["schemas"]["Timestamp"];
        };
        NodeList: {
            data: components["schemas"]["Node"][];
        };
        NotFoundError: {
            error: {
                /** @enum {string} */
                code: "not_found";
                message: string;
                details: Record<string, never>;
            };
        };
        OidcSettings: {
            issuer: string;
            client_id: string;
            client_secret_set_at: components["schemas"]["Timestamp"] | null;
        };
        OidcSettingsInput: {
            issuer: string;
            client_id: string;
            client_secret?: string | null;
        };
        OidcSettingsReplacement: {
            issuer: string;
            client_id: string;
            client_secret?: string | null;
            client_secret_set_at?: components["schemas"]["ReadOnlyField"];
        };
        OperatorAddressList: {
            ip_allow_list: string[];
        };
        OperatorIpAllowListPatch: {
            ip_allow_list?: string[];
            /** @default false */
            force?: boolean;
        };
        OperatorKeyInput: {
            name: string;
            /**
             * @default [
             *       "admin:read",
             *       "admin:write"
             *     ]
             */
            scopes?: ("admin:read" | "admin:write")[];
            expires_at?: components["schemas"]["Moment"];
        };
        Org: {
            id: string;
            name: string;
            status: string;
            suspended_at: components["schemas"]["Timestamp"] | null;
            suspension_reason: string | null;
            ip_allow_list: string[];
            required_dimensions: string[];
            residency: string;
            home_region: string | null;
            timezone: string;
            max_new_values_per_day: number | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        OrgInput: {
            name: string;
        };
        OrgList: {
            data: components["schemas"]["Org"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        OrgPatch: {
            name?: string;
            required_dimensions?: ("workflow_id" | "deployment_id" | "department_id" | "customer_id" | "user_id")[];
            timezone?: string;
            max_new_values_per_day?: number | null;
            id?: components["schemas"]["ReadOnlyField"];
            status?: components["schemas"]["ReadOnlyField"];
            suspended_at?: components["schemas"]["ReadOnlyField"];
            suspension_reason?: components["schemas"]["ReadOnlyField"];
            ip_allow_list?: components["schemas"]["ReadOnlyField"];
            residency?: components["schemas"]["ReadOnlyField"];
            home_region?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        OrgReplacement: {
            name: string;
            required_dimensions?: ("workflow_id" | "deployment_id" | "department_id" | "customer_id" | "user_id")[];
            timezone: string;
            max_new_values_per_day?: number | null;
            id?: components["schemas"]["ReadOnlyField"];
            status?: components["schemas"]["ReadOnlyField"];
            suspended_at?: components["schemas"]["ReadOnlyField"];
            suspension_reason?: components["schemas"]["ReadOnlyField"];
            ip_allow_list?: components["schemas"]["ReadOnlyField"];
            residency?: components["schemas"]["ReadOnlyField"];
            home_region?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        OrgResidencyChangedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "org.residency_changed";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                name: string;
                residency: string;
                home_region: string | null;
            };
        };
        OrgResumedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "org.resumed";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                name: string;
                status: string;
            };
        };
        OrgSecret: {
            org_id: string;
            secret: string;
            created_at: components["schemas"]["Timestamp"];
            rotated_at: components["schemas"]["Timestamp"];
        };
        OrgSecretRotation: {
            org_id: string;
            secret: string;
            created_at: components["schemas"]["Timestamp"];
            rotated_at: components["schemas"]["Timestamp"];
            rotated: boolean;
        };
        OrgSuspendedError: {
            error: {
                /** @enum {string} */
                code: "org_suspended";
                message: string;
                details: Record<string, never>;
            };
        };
        OrgSuspendedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "org.suspended";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                name: string;
                status: string;
            };
        };
        OtherUsdPerMillion: {
            cache_write_1h?: string;
            input_audio?: string;
            input_image?: string;
            input_video?: string;
            cache_audio_read?: string;
            cache_image_read?: string;
            output_audio?: string;
            output_image?: string;
            output_video?: string;
            output_reasoning?: string;
            output_citation?: string;
        };
        OtlpMapping: {
            workflow_id: string[] | null;
            deployment_id: string[] | null;
            department_id: string[] | null;
            customer_id: string[] | null;
            user_id: string[] | null;
            seat_keys: string[] | null;
            seat_accounts: components["schemas"]["OwnId"][] | null;
            seat_logins: boolean | null;
            created_at: components["schemas"]["Timestamp"] | null;
            updated_at: components["schemas"]["Timestamp"] | null;
        };
        OtlpMappingPatch: {
            workflow_id?: string[] | null;
            deployment_id?: string[] | null;
            department_id?: string[] | null;
            customer_id?: string[] | null;
            user_id?: string[] | null;
            seat_keys?: string[] | null;
            seat_accounts?: components["schemas"]["OwnId"][] | null;
            seat_logins?: boolean | null;
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        OwnId: string;
        OwnLimit: {
            id: string;
            kind: string;
            scope_kind: string;
            scope_id: string | null;
            and_scope_kind: string | null;
            and_scope_id: string | null;
            unit: string;
            limit: (components["schemas"]["Usd"] | components["schemas"]["Count"]) | null;
            spent: components["schemas"]["Usd"] | components["schemas"]["Count"];
            held: components["schemas"]["Usd"] | components["schemas"]["Count"];
            remaining: (components["schemas"]["Usd"] | components["schemas"]["Count"]) | null;
            enforcement: string;
            period_start: components["schemas"]["Timestamp"] | null;
            resets_at: components["schemas"]["Timestamp"] | null;
            frozen: components["schemas"]["Frozen"] | null;
        };
        OwnLimits: {
            frozen: components["schemas"]["Frozen"] | null;
            data: components["schemas"]["OwnLimit"][];
        };
        OwnPattern: {
            name: string;
            pattern: string;
            mode: components["schemas"]["DetectorMode"];
            threshold: components["schemas"]["DetectorThreshold"];
        };
        OwnPatternInput: {
            name: string;
            pattern: string;
            /** @enum {unknown} */
            mode: "off" | "alert" | "block";
            threshold?: components["schemas"]["DetectorThreshold"];
        };
        OwnPrice: {
            id: string;
            model: string;
            provider: string | null;
            input_usd_per_million: components["schemas"]["Usd"];
            output_usd_per_million: components["schemas"]["Usd"];
            cache_read_usd_per_million: components["schemas"]["Usd"];
            cache_write_usd_per_million: components["schemas"]["Usd"];
            other_usd_per_million: components["schemas"]["OtherUsdPerMillion"];
            tiers: components["schemas"]["PriceTier"][];
            units_usd: {
                [key: string]: components["schemas"]["Usd"];
            };
            multipliers: components["schemas"]["PriceMultipliers"];
            max_output_tokens: components["schemas"]["Count"] | null;
            effective_from: components["schemas"]["Timestamp"];
            created_at: components["schemas"]["Timestamp"];
        };
        OwnerKeyInput: {
            name: string;
            expires_at?: components["schemas"]["Moment"];
        };
        PartUsage: {
            input_tokens?: number;
            output_tokens?: number;
            cache_read_input_tokens?: number;
            cache_creation_input_tokens?: number;
            reasoning_output_tokens?: number;
            cache_creation_1h_input_tokens?: number;
            units?: components["schemas"]["Units"];
        };
        Passkey: {
            id: string;
            name: string;
            is_backed_up: boolean;
            last_used_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
        };
        PasskeyList: {
            data: components["schemas"]["Passkey"][];
        };
        PasskeyName: {
            name: string;
        };
        PayloadTooLargeError: {
            error: {
                /** @enum {string} */
                code: "payload_too_large";
                message: string;
                details: Record<string, never>;
            };
        };
        Period: string;
        /** Format: date */
        PeriodAnchor: string;
        Pins: {
            workflow_id?: string;
            deployment_id?: string;
            department_id?: string;
            customer_id?: string;
            user_id?: string;
        };
        Plan: {
            id: string;
            name: string;
            runs_per_month: components["schemas"]["Count"] | null;
            tokens_per_month: components["schemas"]["Count"] | null;
            overage_policy: string;
            runs: components["schemas"]["Entitlement"];
            tokens: components["schemas"]["Entitlement"];
            period_start: components["schemas"]["Timestamp"];
            period_end: components["schemas"]["Timestamp"];
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        PlanExceededEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "plan.exceeded";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                plan_id: string;
                unit: string;
                limit: components["schemas"]["Count"];
                used: components["schemas"]["Count"];
                period_start: components["schemas"]["Timestamp"];
                period_end: components["schemas"]["Timestamp"];
            };
        };
        PlanInput: {
            name: string;
            runs_per_month: components["schemas"]["Count"] | null;
            tokens_per_month: components["schemas"]["Count"] | null;
            /** @enum {unknown} */
            overage_policy: "block" | "allow";
            id?: components["schemas"]["ReadOnlyField"];
            runs?: components["schemas"]["IgnoredField"];
            tokens?: components["schemas"]["IgnoredField"];
            period_start?: components["schemas"]["IgnoredField"];
            period_end?: components["schemas"]["IgnoredField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        PlanLimitExceededError: {
            error: {
                /** @enum {string} */
                code: "plan_limit_exceeded";
                message: string;
                details: {
                    /** @enum {unknown} */
                    limit_kind: "runs" | "tokens";
                    limit: components["schemas"]["Count"];
                    used: components["schemas"]["Count"];
                    decision_id?: string;
                    index?: components["schemas"]["Count"];
                    settled?: components["schemas"]["SettledRun"][];
                    fits?: string;
                    remaining_usd?: components["schemas"]["Usd"];
                    fits_max_output_tokens?: components["schemas"]["Count"];
                };
            };
        };
        PlanOrNotSet: {
            id: string | null;
            name: string | null;
            runs_per_month: components["schemas"]["Count"] | null;
            tokens_per_month: components["schemas"]["Count"] | null;
            overage_policy: string | null;
            runs: components["schemas"]["Entitlement"] | null;
            tokens: components["schemas"]["Entitlement"] | null;
            period_start: components["schemas"]["Timestamp"] | null;
            period_end: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"] | null;
            updated_at: components["schemas"]["Timestamp"] | null;
        };
        PlanPatch: {
            name?: string;
            runs_per_month?: components["schemas"]["Count"] | null;
            tokens_per_month?: components["schemas"]["Count"] | null;
            /** @enum {unknown} */
            overage_policy?: "block" | "allow";
            id?: components["schemas"]["ReadOnlyField"];
            runs?: components["schemas"]["IgnoredField"];
            tokens?: components["schemas"]["IgnoredField"];
            period_start?: components["schemas"]["IgnoredField"];
            period_end?: components["schemas"]["IgnoredField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        PlanStoppedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "plan.stopped";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                plan_id: string;
                unit: string;
                limit: components["schemas"]["Count"];
                used: components["schemas"]["Count"];
                held: components["schemas"]["Count"];
                attempted: components["schemas"]["Count"];
                period_start: components["schemas"]["Timestamp"];
                period_end: components["schemas"]["Timestamp"];
            };
        };
        PolicyApprovalRequiredError: {
            error: {
                /** @enum {string} */
                code: "policy_approval_required";
                message: string;
                details: {
                    reason: string;
                    attempted: string;
                    rule_id: string;
                    decision_id?: string;
                    approval_id?: string;
                    approval_status?: string;
                };
            };
        };
        PolicyBlockedError: {
            error: {
                /** @enum {string} */
                code: "policy_blocked";
                message: string;
                details: {
                    reason: string;
                    attempted: string;
                    rule_id: string;
                    decision_id?: string;
                    approval_id?: string;
                    approval_status?: string;
                };
            };
        };
        PolicyCreatedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "policy.created";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                rule_id: string;
                name: string;
                effect: string;
                target: string;
                enabled: boolean;
                shadow: boolean;
            };
        };
        PolicyDeletedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "policy.deleted";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                rule_id: string;
                name: string;
                effect: string;
                target: string;
                enabled: boolean;
                shadow: boolean;
            };
        };
        PolicyExpressionErrorError: {
            error: {
                /** @enum {string} */
                code: "policy_expression_error";
                message: string;
                details: {
                    rule_id: string;
                };
            };
        };
        PolicyMatch: {
            id: string;
            minute: components["schemas"]["Timestamp"];
            rule_id: string;
            rule_version: components["schemas"]["Count"];
            outcome: string;
            shadow: boolean;
            count: components["schemas"]["Count"];
            attempt: {
                [key: string]: unknown;
            };
        };
        PolicyMatchList: {
            data: components["schemas"]["PolicyMatch"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        PolicyPatch: {
            name?: string;
            /** @enum {unknown} */
            effect?: "block" | "require_approval" | "allow";
            /** @enum {unknown} */
            target?: "model" | "action";
            priority?: number;
            expression?: string;
            reason?: string;
            /** @default true */
            enabled?: boolean;
            /** @default false */
            shadow?: boolean;
            /**
             * @default anyone
             * @enum {unknown}
             */
            approver?: "anyone" | "person" | "another_person";
            id?: components["schemas"]["ReadOnlyField"];
            version?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        PolicyUpdatedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "policy.updated";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                rule_id: string;
                name: string;
                effect: string;
                target: string;
                enabled: boolean;
                shadow: boolean;
            };
        };
        PostedEvals: {
            data: components["schemas"]["EvalResult"][];
        };
        PreconditionFailedError: {
            error: {
                /** @enum {string} */
                code: "precondition_failed";
                message: string;
                details: Record<string, never>;
            };
        };
        PriceChangedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "price.changed";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                added: components["schemas"]["Count"];
                changed: components["schemas"]["Count"];
                removed: components["schemas"]["Count"];
                prices: {
                    change: string;
                    price_id: string;
                    model: string;
                    provider: string | null;
                    effective_from: components["schemas"]["Timestamp"];
                    input_usd_per_million: components["schemas"]["Usd"];
                    output_usd_per_million: components["schemas"]["Usd"];
                }[];
            };
        };
        PriceComparison: {
            calls: components["schemas"]["Count"];
            data: components["schemas"]["ComparedModel"][];
        };
        PriceComparisonInput: {
            models: {
                model: components["schemas"]["OwnId"];
                provider?: string;
            }[];
            input_tokens: number;
            output_tokens: number;
            cache_read_input_tokens?: number;
            cache_creation_input_tokens?: number;
            /** @default 1 */
            calls?: number;
        };
        PriceImport: {
            dry_run: boolean;
            format: string;
            models: components["schemas"]["Count"];
            chosen: components["schemas"]["Count"];
            added: components["schemas"]["Count"];
            changed: components["schemas"]["Count"];
            removed: components["schemas"]["Count"];
            unchanged: components["schemas"]["Count"];
            kept: components["schemas"]["Count"];
            entries: components["schemas"]["Count"];
            max_entries: components["schemas"]["Count"];
            changes: components["schemas"]["PriceImportChange"][];
            refused: components["schemas"]["PriceImportRemark"][];
            left_out: components["schemas"]["PriceImportRemark"][];
            not_expressed: components["schemas"]["PriceImportRemark"][];
            not_in_file: components["schemas"]["PriceImportRemark"][];
            digest: string;
        };
        PriceImportChange: {
            change: string;
            model: string;
            provider: string | null;
            effective_from: components["schemas"]["Timestamp"] | null;
            terms: components["schemas"]["PriceImportTerm"][];
        };
        PriceImportInput: {
            file: string;
            /** @enum {unknown} */
            format?: "genai-prices" | "litellm" | "models.dev";
            providers?: string[];
            only?: string[];
            replace?: boolean;
            with_free?: boolean;
            skip_refused?: boolean;
            dry_run?: boolean;
            digest?: string;
        };
        PriceImportRemark: {
            model: string;
            line: number | null;
            message: string;
        };
        PriceImportTerm: {
            term: string;
            before: string | null;
            after: string | null;
            difference_percent: number | null;
        };
        PriceMultipliers: {
            priority?: string;
            flex?: string;
            batch?: string;
        };
        PricePatch: {
            model?: string;
            provider?: string | null;
            input_usd_per_million?: string;
            output_usd_per_million?: string;
            cache_read_usd_per_million?: string;
            cache_write_usd_per_million?: string;
            other_usd_per_million?: components["schemas"]["OtherUsdPerMillion"];
            tiers?: components["schemas"]["PriceTier"][];
            units_usd?: {
                [key: string]: components["schemas"]["Usd"];
            };
            multipliers?: components["schemas"]["PriceMultipliers"];
            max_output_tokens?: number | null;
            effective_from?: string;
            id?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
        };
        PriceTier: {
            above_input_tokens: number;
            input_usd_per_million: string;
            output_usd_per_million: string;
            cache_read_usd_per_million?: string;
            cache_write_usd_per_million?: string;
            other_usd_per_million?: components["schemas"]["OtherUsdPerMillion"];
        };
        Prices: {
            min_hold_usd: components["schemas"]["Usd"];
            unpriced: string;
            unpriced_ceiling_usd: components["schemas"]["Usd"] | null;
            default_max_output_tokens: number;
            prices: components["schemas"]["OwnPrice"][];
            list_prices: {
                id: string;
                model: string;
                provider: string | null;
                input_usd_per_million: components["schemas"]["Usd"];
                output_usd_per_million: components["schemas"]["Usd"];
                cache_read_usd_per_million: components["schemas"]["Usd"];
                cache_write_usd_per_million: components["schemas"]["Usd"];
                other_usd_per_million: components["schemas"]["OtherUsdPerMillion"];
                tiers: components["schemas"]["PriceTier"][];
                units_usd: {
                    [key: string]: components["schemas"]["Usd"];
                };
                multipliers: components["schemas"]["PriceMultipliers"];
                max_output_tokens: components["schemas"]["Count"] | null;
                effective_from: components["schemas"]["Timestamp"];
                source: string;
            }[];
            unpriced_models: {
                model: string;
                provider: string | null;
                first_seen_at: components["schemas"]["Timestamp"];
                last_seen_at: components["schemas"]["Timestamp"];
            }[];
            installation_updated_at: components["schemas"]["Timestamp"] | null;
            updated_at: components["schemas"]["Timestamp"] | null;
        };
        PricesInput: {
            prices: components["schemas"]["NewPrice"][];
            /** @default 0.001 */
            min_hold_usd?: string;
            /** @enum {unknown} */
            unpriced?: "refuse" | "ceiling" | "estimate";
            /** @default null */
            unpriced_ceiling_usd?: components["schemas"]["Usd"] | null;
            /** @default 4096 */
            default_max_output_tokens?: number;
            list_prices?: components["schemas"]["ReadOnlyField"];
            unpriced_models?: components["schemas"]["IgnoredField"];
            installation_updated_at?: components["schemas"]["IgnoredField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        PricesPatch: {
            prices?: components["schemas"]["NewPrice"][];
            /** @default 0.001 */
            min_hold_usd?: string;
            /** @enum {unknown} */
            unpriced?: "refuse" | "ceiling" | "estimate";
            /** @default null */
            unpriced_ceiling_usd?: components["schemas"]["Usd"] | null;
            /** @default 4096 */
            default_max_output_tokens?: number;
            list_prices?: components["schemas"]["ReadOnlyField"];
            unpriced_models?: components["schemas"]["IgnoredField"];
            installation_updated_at?: components["schemas"]["IgnoredField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        Projection: {
            team_count: components["schemas"]["Count"];
            return_usd: string;
        };
        Proposal: {
            id: string;
            status: string;
            kind: string;
            budget_id: string | null;
            budget_name: string;
            scope_kind: string;
            scope_id: string | null;
            period: string;
            limit_before_usd: components["schemas"]["Usd"] | null;
            limit_usd: components["schemas"]["Usd"];
            enforcement: string;
            timezone: string | null;
            reason: string;
            requested_by: string;
            decided_by: string | null;
            decided_at: components["schemas"]["Timestamp"] | null;
            note: string | null;
            expires_at: components["schemas"]["Timestamp"];
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        ProposalApprovedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "proposal.approved";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                proposal_id: string;
                kind: string;
                budget_name: string;
                limit_before_usd: components["schemas"]["Usd"] | null;
                limit_usd: components["schemas"]["Usd"];
                reason: string;
                requested_by: string;
                expires_at: components["schemas"]["Timestamp"];
                decided_by: string;
                note: string | null;
            };
        };
        ProposalDecision: {
            note?: string;
        };
        ProposalDeniedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "proposal.denied";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                proposal_id: string;
                kind: string;
                budget_name: string;
                limit_before_usd: components["schemas"]["Usd"] | null;
                limit_usd: components["schemas"]["Usd"];
                reason: string;
                requested_by: string;
                expires_at: components["schemas"]["Timestamp"];
                decided_by: string;
                note: string | null;
            };
        };
        ProposalList: {
            data: components["schemas"]["Proposal"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        ProposalRequestedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "proposal.requested";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                proposal_id: string;
                kind: string;
                budget_name: string;
                limit_before_usd: components["schemas"]["Usd"] | null;
                limit_usd: components["schemas"]["Usd"];
                reason: string;
                requested_by: string;
                expires_at: components["schemas"]["Timestamp"];
            };
        };
        Quota: {
            prepaid: boolean;
            limit_usd: components["schemas"]["Usd"] | null;
            spent_usd: components["schemas"]["Usd"];
            held_usd: components["schemas"]["Usd"];
            remaining_usd: components["schemas"]["Usd"] | null;
            overrun_usd: components["schemas"]["Usd"];
            late_usd: components["schemas"]["Usd"];
            refused_count: components["schemas"]["Count"];
            exhausted_at: components["schemas"]["Timestamp"] | null;
            period_start: components["schemas"]["Timestamp"] | null;
            period_end: components["schemas"]["Timestamp"] | null;
        };
        QuotaDepletedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "quota.depleted";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                top_up_id: string;
                limit_usd: components["schemas"]["Usd"];
                spent_usd: components["schemas"]["Usd"];
            };
        };
        QuotaExhaustedError: {
            error: {
                /** @enum {string} */
                code: "quota_exhausted";
                message: string;
                details: {
                    quota_kind: string;
                    limit: components["schemas"]["Usd"] | components["schemas"]["Count"];
                    used: components["schemas"]["Usd"] | components["schemas"]["Count"];
                    attempted: components["schemas"]["Usd"] | components["schemas"]["Count"];
                    resets_at: components["schemas"]["Timestamp"] | null;
                    decision_id?: string;
                    index?: components["schemas"]["Count"];
                    settled?: components["schemas"]["SettledRun"][];
                    fits?: string;
                    remaining_usd?: components["schemas"]["Usd"];
                    fits_max_output_tokens?: components["schemas"]["Count"];
                };
            };
        };
        QuotaLowEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "quota.low";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                top_up_id: string;
                limit_usd: components["schemas"]["Usd"];
                spent_usd: components["schemas"]["Usd"];
            };
        };
        QuotaStoppedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "quota.stopped";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                top_up_id: string;
                limit_usd: components["schemas"]["Usd"];
                spent_usd: components["schemas"]["Usd"];
                held_usd: components["schemas"]["Usd"];
                attempted_usd: components["schemas"]["Usd"];
            };
        };
        RateLimitPolicyInput: {
            /** @enum {unknown} */
            kind: "requests" | "tokens" | "quota";
            /** @enum {unknown} */
            per: "org" | "key" | "route_class" | "model";
            match?: string | null;
            amount: number;
            window_seconds: number;
            id?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
        };
        RateLimitedError: {
            error: {
                /** @enum {string} */
                code: "rate_limited";
                message: string;
                details: {
                    retry_after_seconds: number;
                };
            };
        };
        RateLimits: {
            default_rates: boolean;
            read_rpm: number | null;
            on_unavailable: string;
            policies: {
                id: string;
                kind: string;
                per: string;
                match: string | null;
                amount: number;
                window_seconds: number;
                created_at: components["schemas"]["Timestamp"];
            }[];
            updated_at: components["schemas"]["Timestamp"] | null;
        };
        RateLimitsInput: {
            /** @default false */
            default_rates?: boolean;
            read_rpm: number | null;
            /** @enum {unknown} */
            on_unavailable?: "local" | "deny" | "allow";
            policies: components["schemas"]["RateLimitPolicyInput"][];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        RateLimitsPatch: {
            /** @default false */
            default_rates?: boolean;
            read_rpm?: number | null;
            /** @enum {unknown} */
            on_unavailable?: "local" | "deny" | "allow";
            policies?: components["schemas"]["RateLimitPolicyInput"][];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        ReadOnlyField: unknown;
        ReconciledFile: {
            name: string | null;
            format: string;
            lines: components["schemas"]["Count"];
            bytes: components["schemas"]["Count"];
            sha256: string;
        };
        Reconciliation: {
            id: string;
            provider: string;
            from: components["schemas"]["IsoDate"];
            to: components["schemas"]["IsoDate"];
            tolerance_usd: components["schemas"]["Usd"];
            tolerance_tokens: components["schemas"]["Count"];
            files: components["schemas"]["ReconciledFile"][];
            has_amounts: boolean;
            has_tokens: boolean;
            runs: components["schemas"]["Count"];
            compared: components["schemas"]["Count"];
            equal: components["schemas"]["Count"];
            booked_usd: string;
            billed_usd: string | null;
            difference_usd: string | null;
            within_tolerance_usd: string;
            outside_usd: string;
            difference_count: components["schemas"]["Count"];
            by_reason: {
                reason: string;
                count: components["schemas"]["Count"];
                difference_usd: string;
            }[];
            created_by: string;
            created_at: components["schemas"]["Timestamp"];
            differences: components["schemas"]["ReconciliationDifference"][];
            unlisted: {
                count: components["schemas"]["Count"];
                difference_usd: string;
            };
        };
        ReconciliationDifference: {
            date: components["schemas"]["IsoDate"];
            model: string;
            names: string[];
            reason: string;
            runs: components["schemas"]["Count"];
            booked_usd: string;
            billed_usd: string | null;
            difference_usd: string | null;
            tokens: components["schemas"]["ReconciliationTokens"] | null;
            tiers: string[];
        };
        ReconciliationInput: {
            files: {
                name?: string;
                text: string;
            }[];
            from?: string;
            to?: string;
            /** @default 0.01 */
            tolerance_usd?: string;
            /** @default 0 */
            tolerance_tokens?: number;
        };
        ReconciliationSummary: {
            id: string;
            provider: string;
            from: components["schemas"]["IsoDate"];
            to: components["schemas"]["IsoDate"];
            tolerance_usd: components["schemas"]["Usd"];
            tolerance_tokens: components["schemas"]["Count"];
            files: components["schemas"]["ReconciledFile"][];
            has_amounts: boolean;
            has_tokens: boolean;
            runs: components["schemas"]["Count"];
            compared: components["schemas"]["Count"];
            equal: components["schemas"]["Count"];
            booked_usd: string;
            billed_usd: string | null;
            difference_usd: string | null;
            within_tolerance_usd: string;
            outside_usd: string;
            difference_count: components["schemas"]["Count"];
            by_reason: {
                reason: string;
                count: components["schemas"]["Count"];
                difference_usd: string;
            }[];
            created_by: string;
            created_at: components["schemas"]["Timestamp"];
        };
        ReconciliationSummaryList: {
            data: components["schemas"]["ReconciliationSummary"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        ReconciliationTokens: {
            input: {
                booked: number;
                billed: number;
                difference: number;
            };
            cache_read: {
                booked: number;
                billed: number;
                difference: number;
            };
            cache_write: {
                booked: number;
                billed: number;
                difference: number;
            };
            output: {
                booked: number;
                billed: number;
                difference: number;
            };
        };
        Refusal: {
            id: string;
            minute: components["schemas"]["Timestamp"];
            count: components["schemas"]["Count"];
            first_at: components["schemas"]["Timestamp"];
            last_at: components["schemas"]["Timestamp"];
            error_code: string;
            message: string;
            limit_id: string | null;
            rule_id: string | null;
            surface: string;
            key_id: components["schemas"]["CreatorId"] | null;
            model: string | null;
            workflow_id: string | null;
            deployment_id: string | null;
            department_id: string | null;
            customer_id: string | null;
            user_id: string | null;
            chain_id: string | null;
            explanation: components["schemas"]["Explanation"];
        };
        RefusalList: {
            data: components["schemas"]["Refusal"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        RegisteredForeignKeys: {
            data: ({
                id: string;
                key_id: string;
                name: string;
                owner_id: string | null;
                pins: {
                    [key: string]: string;
                };
                status: string;
                ends_at: components["schemas"]["Timestamp"];
                uses: components["schemas"]["Count"];
                last_used_at: components["schemas"]["Timestamp"] | null;
                ended_at: components["schemas"]["Timestamp"] | null;
                contested_at: components["schemas"]["Timestamp"] | null;
                created_at: components["schemas"]["Timestamp"];
                created: boolean;
            } | null)[];
        };
        Replay: {
            id: string;
            subscription_id: string;
            status: string;
            from: components["schemas"]["Timestamp"];
            to: components["schemas"]["Timestamp"];
            event_count: components["schemas"]["Count"];
            told_count: components["schemas"]["Count"];
            created_at: components["schemas"]["Timestamp"];
            finished_at: components["schemas"]["Timestamp"] | null;
        };
        ReplayInput: {
            from: string;
            to?: string;
            events?: string[];
        };
        ReplayList: {
            data: components["schemas"]["Replay"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        Reservation: {
            reservation_id: string;
            status: string;
            reserved_usd: components["schemas"]["Usd"];
            charged_usd: components["schemas"]["Usd"] | null;
            overrun_usd: components["schemas"]["Usd"] | null;
            created_at: components["schemas"]["Timestamp"];
            expires_at: components["schemas"]["Timestamp"];
        };
        ReservationList: {
            data: components["schemas"]["Reservation"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        Residency: {
            residency: string;
            home_region: string | null;
        };
        ResidencyInput: {
            /** @enum {unknown} */
            residency: "none" | "strict";
            home_region?: components["schemas"]["ReadOnlyField"];
        };
        ResidencyPatch: {
            /** @enum {unknown} */
            residency?: "none" | "strict";
            home_region?: components["schemas"]["ReadOnlyField"];
        };
        ResidencyViolationError: {
            error: {
                /** @enum {string} */
                code: "residency_violation";
                message: string;
                details: Record<string, never>;
            };
        };
        RetentionPolicy: {
            raw_days: number;
            class_days: number;
            created_at: components["schemas"]["Timestamp"] | null;
            updated_at: components["schemas"]["Timestamp"] | null;
        };
        RetentionPolicyInput: {
            raw_days: number;
            class_days?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        RetentionPolicyPatch: {
            raw_days?: number;
            class_days?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        RevokeInput: {
            /** @default false */
            descendants?: boolean;
        };
        RevokedKey: {
            id: string;
            org_id: string;
            name: string;
            role: string;
            scopes: string[];
            pins: {
                [key: string]: string;
            };
            status: string;
            not_before: components["schemas"]["Timestamp"] | null;
            expires_at: components["schemas"]["Timestamp"] | null;
            owner_id: string | null;
            minted_by: string | null;
            rotated_from: string | null;
            rotated_to: string | null;
            last_used_at: components["schemas"]["Timestamp"] | null;
            revoked_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
            revoked_descendants?: string[];
        };
        RevokedSessions: {
            revoked: number;
        };
        RoleRule: {
            claim: string;
            values: string[];
            role: string;
        };
        RoleRuleInput: {
            claim: string;
            values: string[];
            /** @enum {unknown} */
            role: "viewer" | "member" | "admin" | "owner";
        };
        RotateKeyInput: {
            /** @default 0 */
            overlap_seconds?: number;
        };
        RotateSigningInput: {
            /** @default 0 */
            overlap_seconds?: number;
        };
        /** @default {} */
        RouteConstraints: {
            /** @default [] */
            capabilities?: string[];
            /** @default [] */
            regions?: string[];
            max_price_usd?: components["schemas"]["Usd"] | null;
            max_latency_ms?: number | null;
            min_context_tokens?: number | null;
        };
        RouteInput: {
            name: string;
            /** @enum {unknown} */
            strategy: "cheapest" | "fastest" | "best" | "weighted";
            bar: components["schemas"]["Bar"] | null;
            constraints?: components["schemas"]["RouteConstraints"];
            candidates?: components["schemas"]["Candidate"][] | null;
        };
        RoutePatch: {
            name?: string;
            /** @enum {unknown} */
            strategy?: "cheapest" | "fastest" | "best" | "weighted";
            bar?: components["schemas"]["Bar"] | null;
            constraints?: components["schemas"]["RouteConstraints"];
            candidates?: components["schemas"]["Candidate"][] | null;
            id?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        RouteReplacement: {
            name: string;
            /** @enum {unknown} */
            strategy: "cheapest" | "fastest" | "best" | "weighted";
            bar: components["schemas"]["Bar"] | null;
            constraints?: components["schemas"]["RouteConstraints"];
            candidates?: components["schemas"]["Candidate"][] | null;
            id?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        RoutingDecision: {
            decision_id: string;
            route_id: string;
            route: string;
            model: string;
            provider: string | null;
            estimated_cost_usd: components["schemas"]["Usd"];
            score: number | null;
            latency_ms: components["schemas"]["Count"] | null;
            runners_up: {
                model: string;
                provider: string | null;
                estimated_cost_usd: components["schemas"]["Usd"];
                score: number | null;
                latency_ms: components["schemas"]["Count"] | null;
            }[];
            excluded: {
                model: string;
                provider: string | null;
                reasons: {
                    code: string;
                    message: string;
                }[];
            }[];
        };
        RoutingInput: {
            route: string;
            estimated_cost_usd?: components["schemas"]["Usd"];
            input_tokens?: number;
            max_output_tokens?: number;
            /**
             * @default standard
             * @enum {unknown}
             */
            service_tier?: "standard" | "priority" | "flex" | "batch";
            /**
             * @default 1h
             * @enum {unknown}
             */
            cache_creation?: "none" | "5m" | "1h";
            units?: components["schemas"]["Units"];
            workflow_id?: components["schemas"]["OwnId"];
            deployment_id?: components["schemas"]["OwnId"];
            department_id?: components["schemas"]["OwnId"];
            customer_id?: components["schemas"]["OwnId"];
            user_id?: components["schemas"]["OwnId"];
            tags?: string[];
            operation?: string;
            action?: components["schemas"]["OwnId"];
            metadata?: components["schemas"]["Metadata"];
            sticky?: string;
        };
        RoutingModel: {
            id: string;
            model: string;
            provider: string | null;
            region: string | null;
            capabilities: string[];
            context_tokens: components["schemas"]["Count"] | null;
            latency_ms: components["schemas"]["Count"] | null;
            enabled: boolean;
            price: {
                price_id: string;
                input_usd_per_million: components["schemas"]["Usd"];
                output_usd_per_million: components["schemas"]["Usd"];
                cache_read_usd_per_million: components["schemas"]["Usd"];
                cache_write_usd_per_million: components["schemas"]["Usd"];
                max_output_tokens: components["schemas"]["Count"] | null;
            } | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        RoutingModelList: {
            data: components["schemas"]["RoutingModel"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        Rule: {
            id: string;
            name: string;
            effect: string;
            target: string;
            priority: components["schemas"]["Count"];
            expression: string;
            reason: string;
            enabled: boolean;
            shadow: boolean;
            approver: string;
            version: components["schemas"]["Count"];
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        RuleInput: {
            name: string;
            /** @enum {unknown} */
            effect: "block" | "require_approval" | "allow";
            /** @enum {unknown} */
            target: "model" | "action";
            priority: number;
            expression: string;
            reason: string;
            /** @default true */
            enabled?: boolean;
            /** @default false */
            shadow?: boolean;
            /**
             * @default anyone
             * @enum {unknown}
             */
            approver?: "anyone" | "person" | "another_person";
        };
        RuleList: {
            data: components["schemas"]["Rule"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        RuleReplacement: {
            name: string;
            /** @enum {unknown} */
            effect: "block" | "require_approval" | "allow";
            /** @enum {unknown} */
            target: "model" | "action";
            priority: number;
            expression: string;
            reason: string;
            /** @default true */
            enabled?: boolean;
            /** @default false */
            shadow?: boolean;
            /**
             * @default anyone
             * @enum {unknown}
             */
            approver?: "anyone" | "person" | "another_person";
            id?: components["schemas"]["ReadOnlyField"];
            version?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        Run: {
            id: string;
            status: string;
            model: string;
            provider: string | null;
            operation: string | null;
            action: string | null;
            workflow_id: string | null;
            deployment_id: string | null;
            department_id: string | null;
            customer_id: string | null;
            user_id: string | null;
            chain_id: string | null;
            parent_run_id: string | null;
            depth: components["schemas"]["Count"] | null;
            external_id: string | null;
            key_id: components["schemas"]["CreatorId"] | null;
            reservation_id: string | null;
            decision_id: string | null;
            input_tokens: number | null;
            output_tokens: number | null;
            cache_read_input_tokens: number | null;
            cache_creation_input_tokens: number | null;
            reasoning_output_tokens: number | null;
            usage_detail: components["schemas"]["UsageDetail"] | null;
            cost_usd: components["schemas"]["Usd"] | null;
            cost_basis: string | null;
            reserved_usd: components["schemas"]["Usd"] | null;
            max_output_tokens?: components["schemas"]["Count"];
            overrun_usd: components["schemas"]["Usd"] | null;
            value_usd: components["schemas"]["Usd"] | null;
            tags: string[];
            metadata: {
                [key: string]: unknown;
            };
            started_at: components["schemas"]["Timestamp"];
            ended_at: components["schemas"]["Timestamp"] | null;
            expires_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        RunFinishedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "run.finished";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                run_id: string;
                external_id: string | null;
                reservation_id?: string | null;
                key_id: components["schemas"]["CreatorId"] | null;
                status: string;
                model: string;
                provider: string | null;
                workflow_id: string | null;
                deployment_id: string | null;
                department_id: string | null;
                customer_id: string | null;
                user_id: string | null;
                chain_id: string | null;
                cost_usd: components["schemas"]["Usd"];
                cost_basis: string;
                input_tokens: components["schemas"]["Count"] | null;
                output_tokens: components["schemas"]["Count"] | null;
                started_at: components["schemas"]["Timestamp"];
                ended_at: components["schemas"]["Timestamp"] | null;
            };
        };
        RunList: {
            data: components["schemas"]["Run"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        SamlSettings: {
            metadata_url: string | null;
            entity_id: string;
            sso_url: string;
            certificates: string[];
            email_attribute: string | null;
            clock_skew_seconds: number;
        };
        SamlSettingsInput: {
            metadata_xml?: string;
            /** @default null */
            metadata_url?: string | null;
            entity_id?: string;
            sso_url?: string;
            certificates?: string[];
            /** @default null */
            email_attribute?: string | null;
            /** @default 60 */
            clock_skew_seconds?: number;
        };
        Scenario: {
            name: string;
            kind: string;
            at: components["schemas"]["IsoDate"];
            parameters: {
                [key: string]: number | string;
            };
            notes: string[];
            forecast: components["schemas"]["ForecastStep"][];
            total: components["schemas"]["ForecastTotal"] | null;
            difference: components["schemas"]["ForecastAmount"] | null;
            difference_percent: number | null;
            exhaustion: components["schemas"]["Exhaustion"][];
        };
        ScimToken: {
            id: string;
            org_id: string;
            name: string;
            status: string;
            last_used_at: components["schemas"]["Timestamp"] | null;
            revoked_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
        };
        ScimTokenInput: {
            name: string;
        };
        ScimTokenList: {
            data: components["schemas"]["ScimToken"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        ScimTokenWithSecret: {
            id: string;
            org_id: string;
            name: string;
            status: string;
            last_used_at: components["schemas"]["Timestamp"] | null;
            revoked_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
            secret: string;
            base_url: string;
        };
        ScopedBudgetInput: {
            name: string;
            limit_usd: components["schemas"]["Usd"] | null;
            timezone?: components["schemas"]["Timezone"];
            anchor?: components["schemas"]["PeriodAnchor"] | null;
            /**
             * @default block
             * @enum {unknown}
             */
            enforcement?: "block" | "alert";
            thresholds?: components["schemas"]["Thresholds"];
            id?: components["schemas"]["ReadOnlyField"];
            scope_kind?: components["schemas"]["ReadOnlyField"];
            scope_id?: components["schemas"]["ReadOnlyField"];
            and_scope_kind?: components["schemas"]["ReadOnlyField"];
            and_scope_id?: components["schemas"]["ReadOnlyField"];
            spent_usd?: components["schemas"]["IgnoredField"];
            held_usd?: components["schemas"]["IgnoredField"];
            remaining_usd?: components["schemas"]["IgnoredField"];
            overrun_usd?: components["schemas"]["IgnoredField"];
            late_usd?: components["schemas"]["IgnoredField"];
            refused_count?: components["schemas"]["IgnoredField"];
            exhausted_at?: components["schemas"]["IgnoredField"];
            period_start?: components["schemas"]["IgnoredField"];
            period_end?: components["schemas"]["IgnoredField"];
            period?: components["schemas"]["ReadOnlyField"];
            next_schedule?: components["schemas"]["ReadOnlyField"];
            would_refuse_count?: components["schemas"]["IgnoredField"];
            counts_from?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        ServiceProvider: {
            entity_id: string;
            acs_url: string;
            metadata_url: string;
        };
        ServiceUnavailableError: {
            error: {
                /** @enum {string} */
                code: "service_unavailable";
                message: string;
                details: Record<string, never>;
            };
        };
        Session: {
            id: string;
            org_id: string | null;
            key_id: string | null;
            member_id: string | null;
            way: string;
            connection_id: string | null;
            status: string;
            is_current: boolean;
            address: string;
            user_agent: string;
            last_used_at: components["schemas"]["Timestamp"];
            expires_at: components["schemas"]["Timestamp"];
            revoked_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
        };
        SessionList: {
            data: components["schemas"]["Session"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        SessionPolicy: {
            idle_seconds: number | null;
            max_seconds: number | null;
            key_sign_in: string;
            sso: string;
            created_at: components["schemas"]["Timestamp"] | null;
            updated_at: components["schemas"]["Timestamp"] | null;
        };
        SessionPolicyInput: {
            /** @default null */
            idle_seconds?: number | null;
            /** @default null */
            max_seconds?: number | null;
            /**
             * @default allow
             * @enum {unknown}
             */
            key_sign_in?: "allow" | "refuse";
            /**
             * @default optional
             * @enum {unknown}
             */
            sso?: "optional" | "required";
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        SessionPolicyPatch: {
            /** @default null */
            idle_seconds?: number | null;
            /** @default null */
            max_seconds?: number | null;
            /**
             * @default allow
             * @enum {unknown}
             */
            key_sign_in?: "allow" | "refuse";
            /**
             * @default optional
             * @enum {unknown}
             */
            sso?: "optional" | "required";
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        SessionRevokedError: {
            error: {
                /** @enum {string} */
                code: "session_revoked";
                message: string;
                details: Record<string, never>;
            };
        };
        SettledRun: {
            index: components["schemas"]["Count"];
            run_id: string;
        };
        SignInLink: {
            url: string;
            expires_at: components["schemas"]["Timestamp"];
        };
        Signing: {
            subscription_id: string;
            version: number;
            generation: components["schemas"]["Count"];
            rotated_at: components["schemas"]["Timestamp"] | null;
            previous_expires_at: components["schemas"]["Timestamp"] | null;
        };
        SigningWithSecret: {
            subscription_id: string;
            version: number;
            generation: components["schemas"]["Count"];
            rotated_at: components["schemas"]["Timestamp"] | null;
            previous_expires_at: components["schemas"]["Timestamp"] | null;
            secret: string;
        };
        SlackApp: {
            id: string;
            channel: string;
            enabled: boolean;
            signing_secret_set_at: components["schemas"]["Timestamp"];
            signing_secret_set_by: string[];
            bot_token_set_at: components["schemas"]["Timestamp"];
            fault: string | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        SlackAppInput: {
            channel: string;
            /** @default true */
            enabled?: boolean;
            signing_secret?: string;
            bot_token?: string;
            id?: components["schemas"]["ReadOnlyField"];
            signing_secret_set_at?: components["schemas"]["ReadOnlyField"];
            signing_secret_set_by?: components["schemas"]["ReadOnlyField"];
            bot_token_set_at?: components["schemas"]["ReadOnlyField"];
            fault?: components["schemas"]["IgnoredField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        SlackAppOrNotSet: {
            id: string | null;
            channel: string | null;
            enabled: boolean | null;
            signing_secret_set_at: components["schemas"]["Timestamp"] | null;
            signing_secret_set_by: string[] | null;
            bot_token_set_at: components["schemas"]["Timestamp"] | null;
            fault: string | null;
            created_at: components["schemas"]["Timestamp"] | null;
            updated_at: components["schemas"]["Timestamp"] | null;
        };
        SlackAppPatch: {
            channel?: string;
            /** @default true */
            enabled?: boolean;
            signing_secret?: string;
            bot_token?: string;
            id?: components["schemas"]["ReadOnlyField"];
            signing_secret_set_at?: components["schemas"]["ReadOnlyField"];
            signing_secret_set_by?: components["schemas"]["ReadOnlyField"];
            bot_token_set_at?: components["schemas"]["ReadOnlyField"];
            fault?: components["schemas"]["IgnoredField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        SlackAppTest: {
            ok: boolean;
            fault: string | null;
            message: string | null;
            team: string | null;
        };
        SlackLink: {
            id: string;
            member_id: string;
            slack_team_id: string;
            slack_user_id: string;
            slack_user_name: string;
            created_at: components["schemas"]["Timestamp"];
        };
        SlackLinkList: {
            data: components["schemas"]["SlackLink"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        SlackManifest: {
            display_information: {
                name: string;
                description: string;
                background_color: string;
            };
            features: {
                bot_user: {
                    display_name: string;
                    always_online: boolean;
                };
            };
            oauth_config: {
                scopes: {
                    bot: string[];
                };
            };
            settings: {
                interactivity: {
                    is_enabled: boolean;
                    request_url: string;
                };
                org_deploy_enabled: boolean;
                socket_mode_enabled: boolean;
                token_rotation_enabled: boolean;
            };
        };
        SpendCap: {
            id: string;
            cap_usd: components["schemas"]["Usd"];
            timezone: string;
            spent_usd: components["schemas"]["Usd"];
            held_usd: components["schemas"]["Usd"];
            remaining_usd: components["schemas"]["Usd"] | null;
            overrun_usd: components["schemas"]["Usd"];
            late_usd: components["schemas"]["Usd"];
            refused_count: components["schemas"]["Count"];
            exhausted_at: components["schemas"]["Timestamp"] | null;
            resets_at: components["schemas"]["Timestamp"];
            period_start: components["schemas"]["Timestamp"];
            period_end: components["schemas"]["Timestamp"];
            next_schedule: components["schemas"]["NextSchedule"] | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        SpendCapExceededError: {
            error: {
                /** @enum {string} */
                code: "spend_cap_exceeded";
                message: string;
                details: {
                    cap_usd: components["schemas"]["Usd"];
                    spent_usd: components["schemas"]["Usd"];
                    resets_at: components["schemas"]["Timestamp"];
                    reason?: string;
                    held_usd?: components["schemas"]["Usd"];
                    attempted_usd?: components["schemas"]["Usd"];
                    decision_id?: string;
                    index?: components["schemas"]["Count"];
                    settled?: components["schemas"]["SettledRun"][];
                    fits?: string;
                    remaining_usd?: components["schemas"]["Usd"];
                    fits_max_output_tokens?: components["schemas"]["Count"];
                };
            };
        };
        SpendCapExceededEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "spend_cap.exceeded";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                spend_cap_id: string;
                limit_usd: components["schemas"]["Usd"];
                spent_usd: components["schemas"]["Usd"];
                period_start: components["schemas"]["Timestamp"];
                period_end: components["schemas"]["Timestamp"];
            };
        };
        SpendCapInput: {
            cap_usd: components["schemas"]["Usd"];
            timezone?: components["schemas"]["Timezone"];
            id?: components["schemas"]["ReadOnlyField"];
            spent_usd?: components["schemas"]["IgnoredField"];
            held_usd?: components["schemas"]["IgnoredField"];
            remaining_usd?: components["schemas"]["IgnoredField"];
            overrun_usd?: components["schemas"]["IgnoredField"];
            late_usd?: components["schemas"]["IgnoredField"];
            refused_count?: components["schemas"]["IgnoredField"];
            exhausted_at?: components["schemas"]["IgnoredField"];
            resets_at?: components["schemas"]["IgnoredField"];
            period_start?: components["schemas"]["IgnoredField"];
            period_end?: components["schemas"]["IgnoredField"];
            next_schedule?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        SpendCapOrNotSet: {
            id: string | null;
            cap_usd: components["schemas"]["Usd"] | null;
            timezone: string | null;
            spent_usd: components["schemas"]["Usd"] | null;
            held_usd: components["schemas"]["Usd"] | null;
            remaining_usd: components["schemas"]["Usd"] | null;
            overrun_usd: components["schemas"]["Usd"] | null;
            late_usd: components["schemas"]["Usd"] | null;
            refused_count: components["schemas"]["Count"] | null;
            exhausted_at: components["schemas"]["Timestamp"] | null;
            resets_at: components["schemas"]["Timestamp"] | null;
            period_start: components["schemas"]["Timestamp"] | null;
            period_end: components["schemas"]["Timestamp"] | null;
            next_schedule: components["schemas"]["NextSchedule"] | null;
            created_at: components["schemas"]["Timestamp"] | null;
            updated_at: components["schemas"]["Timestamp"] | null;
        };
        SpendCapPatch: {
            cap_usd?: components["schemas"]["Usd"];
            timezone?: components["schemas"]["Timezone"];
            id?: components["schemas"]["ReadOnlyField"];
            spent_usd?: components["schemas"]["IgnoredField"];
            held_usd?: components["schemas"]["IgnoredField"];
            remaining_usd?: components["schemas"]["IgnoredField"];
            overrun_usd?: components["schemas"]["IgnoredField"];
            late_usd?: components["schemas"]["IgnoredField"];
            refused_count?: components["schemas"]["IgnoredField"];
            exhausted_at?: components["schemas"]["IgnoredField"];
            resets_at?: components["schemas"]["IgnoredField"];
            period_start?: components["schemas"]["IgnoredField"];
            period_end?: components["schemas"]["IgnoredField"];
            next_schedule?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        SpendCapStoppedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "spend_cap.stopped";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                spend_cap_id: string;
                limit_usd: components["schemas"]["Usd"];
                spent_usd: components["schemas"]["Usd"];
                period_start: components["schemas"]["Timestamp"];
                period_end: components["schemas"]["Timestamp"];
                held_usd: components["schemas"]["Usd"];
                attempted_usd: components["schemas"]["Usd"];
            };
        };
        SpendCapThresholdCrossedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "spend_cap.threshold_crossed";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                threshold_percent: number;
                spend_cap_id: string;
                limit_usd: components["schemas"]["Usd"];
                spent_usd: components["schemas"]["Usd"];
                period_start: components["schemas"]["Timestamp"];
                period_end: components["schemas"]["Timestamp"];
            };
        };
        SsoConnection: {
            id: string;
            org_id: string;
            kind: string;
            name: string;
            oidc: components["schemas"]["OidcSettings"] | null;
            saml: components["schemas"]["SamlSettings"] | null;
            service_provider: components["schemas"]["ServiceProvider"] | null;
            role_rules: components["schemas"]["RoleRule"][];
            default_role: string | null;
            jit: boolean;
            enabled: boolean;
            sign_in_url: string;
            redirect_uri: string | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        SsoConnectionInput: {
            /** @enum {unknown} */
            kind: "oidc" | "saml";
            name: string;
            oidc?: components["schemas"]["OidcSettingsInput"] | null;
            saml?: components["schemas"]["SamlSettingsInput"] | null;
            /** @default [] */
            role_rules?: components["schemas"]["RoleRuleInput"][];
            /** @default null */
            default_role?: ("viewer" | "member" | "admin" | "owner") | null;
            /** @default false */
            jit?: boolean;
            /** @default true */
            enabled?: boolean;
        };
        SsoConnectionList: {
            data: components["schemas"]["SsoConnection"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        SsoConnectionPatch: {
            name?: string;
            oidc?: components["schemas"]["OidcSettingsReplacement"] | null;
            saml?: components["schemas"]["SamlSettingsInput"] | null;
            /** @default [] */
            role_rules?: components["schemas"]["RoleRuleInput"][];
            /** @default null */
            default_role?: ("viewer" | "member" | "admin" | "owner") | null;
            /** @default false */
            jit?: boolean;
            /** @default true */
            enabled?: boolean;
            id?: components["schemas"]["ReadOnlyField"];
            org_id?: components["schemas"]["ReadOnlyField"];
            kind?: components["schemas"]["ReadOnlyField"];
            service_provider?: components["schemas"]["ReadOnlyField"];
            sign_in_url?: components["schemas"]["ReadOnlyField"];
            redirect_uri?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        SsoConnectionReplacement: {
            name: string;
            oidc?: components["schemas"]["OidcSettingsReplacement"] | null;
            saml?: components["schemas"]["SamlSettingsInput"] | null;
            /** @default [] */
            role_rules?: components["schemas"]["RoleRuleInput"][];
            /** @default null */
            default_role?: ("viewer" | "member" | "admin" | "owner") | null;
            /** @default false */
            jit?: boolean;
            /** @default true */
            enabled?: boolean;
            id?: components["schemas"]["ReadOnlyField"];
            org_id?: components["schemas"]["ReadOnlyField"];
            kind?: components["schemas"]["ReadOnlyField"];
            service_provider?: components["schemas"]["ReadOnlyField"];
            sign_in_url?: components["schemas"]["ReadOnlyField"];
            redirect_uri?: components["schemas"]["ReadOnlyField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        SsoConnectionTest: {
            ok: boolean;
            fault: string | null;
            message: string | null;
            issuer: string | null;
            authorization_endpoint: string | null;
            token_endpoint: string | null;
            jwks_uri: string | null;
            end_session_endpoint: string | null;
            signing_algorithms: string[];
            names_itself_in_answers: boolean;
        };
        StartInput: {
            model?: components["schemas"]["OwnId"];
            provider?: string;
            estimated_cost_usd?: components["schemas"]["Usd"];
            input_tokens?: number;
            max_output_tokens?: number;
            min_output_tokens?: number;
            /**
             * @default standard
             * @enum {unknown}
             */
            service_tier?: "standard" | "priority" | "flex" | "batch";
            /**
             * @default 1h
             * @enum {unknown}
             */
            cache_creation?: "none" | "5m" | "1h";
            units?: components["schemas"]["Units"];
            workflow_id?: components["schemas"]["OwnId"];
            deployment_id?: components["schemas"]["OwnId"];
            department_id?: components["schemas"]["OwnId"];
            customer_id?: components["schemas"]["OwnId"];
            user_id?: components["schemas"]["OwnId"];
            tags?: string[];
            managed?: boolean;
            /** @default 600 */
            lease_seconds?: number;
            route?: string;
            sticky?: string;
            operation?: string;
            action?: components["schemas"]["OwnId"];
            chain_id?: components["schemas"]["OwnId"];
            parent_run_id?: string;
            external_id?: components["schemas"]["OwnId"];
            metadata?: components["schemas"]["Metadata"];
            input?: string | unknown[];
            dry_run?: boolean;
            chain_limits?: components["schemas"]["ChainBoundsReplacement"];
        };
        StartedRun: {
            id: string;
            status: string;
            model: string;
            provider: string | null;
            operation: string | null;
            action: string | null;
            workflow_id: string | null;
            deployment_id: string | null;
            department_id: string | null;
            customer_id: string | null;
            user_id: string | null;
            chain_id: string | null;
            parent_run_id: string | null;
            depth: components["schemas"]["Count"] | null;
            external_id: string | null;
            key_id: components["schemas"]["CreatorId"] | null;
            reservation_id: string | null;
            decision_id: string | null;
            input_tokens: number | null;
            output_tokens: number | null;
            cache_read_input_tokens: number | null;
            cache_creation_input_tokens: number | null;
            reasoning_output_tokens: number | null;
            usage_detail: components["schemas"]["UsageDetail"] | null;
            cost_usd: components["schemas"]["Usd"] | null;
            cost_basis: string | null;
            reserved_usd: components["schemas"]["Usd"] | null;
            max_output_tokens?: components["schemas"]["Count"];
            overrun_usd: components["schemas"]["Usd"] | null;
            value_usd: components["schemas"]["Usd"] | null;
            tags: string[];
            metadata: {
                [key: string]: unknown;
            };
            started_at: components["schemas"]["Timestamp"];
            ended_at: components["schemas"]["Timestamp"] | null;
            expires_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
            remaining_usd?: components["schemas"]["Usd"] | null;
        };
        Subscription: {
            id: string;
            org_id: string;
            url: string;
            destination: components["schemas"]["Destination"];
            unconfirmed_recipients: string[];
            events: string[];
            description: string;
            ordered: boolean;
            enabled: boolean;
            disabled_reason: string | null;
            disabled_at: components["schemas"]["Timestamp"] | null;
            created_by_grant: string | null;
            signing_version: number;
            health: components["schemas"]["Health"];
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        SubscriptionDisabledEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "subscription.disabled";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                subscription_id: string;
                origin: string;
                reason: string;
                disabled_at: components["schemas"]["Timestamp"];
            };
        };
        SubscriptionInput: {
            url?: string;
            destination?: components["schemas"]["DestinationInput"];
            /** @default [] */
            events?: string[];
            /** @default  */
            description?: string;
            /** @default false */
            ordered?: boolean;
            /** @default true */
            enabled?: boolean;
            /**
             * @default organization
             * @enum {string}
             */
            signing?: "organization" | "subscription";
        } & unknown;
        SubscriptionList: {
            data: components["schemas"]["Subscription"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        SubscriptionReplacement: {
            url?: string;
            destination?: components["schemas"]["DestinationInput"];
            /** @default [] */
            events?: string[];
            /** @default  */
            description?: string;
            /** @default false */
            ordered?: boolean;
            /** @default true */
            enabled?: boolean;
            id?: components["schemas"]["ReadOnlyField"];
            org_id?: components["schemas"]["ReadOnlyField"];
            unconfirmed_recipients?: components["schemas"]["IgnoredField"];
            disabled_reason?: components["schemas"]["ReadOnlyField"];
            disabled_at?: components["schemas"]["ReadOnlyField"];
            created_by_grant?: components["schemas"]["ReadOnlyField"];
            signing_version?: components["schemas"]["ReadOnlyField"];
            health?: components["schemas"]["IgnoredField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        } & unknown;
        SupportGrant: {
            id: string;
            org_id: string;
            operator_key_id: string;
            scope: string;
            reason: string;
            status: string;
            expires_at: components["schemas"]["Timestamp"];
            revoked_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        SupportGrantList: {
            data: components["schemas"]["SupportGrant"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        SupportScopeDeniedError: {
            error: {
                /** @enum {string} */
                code: "support_scope_denied";
                message: string;
                details: {
                    reason: string;
                    scope: string;
                    method: string;
                };
            };
        };
        SuspendInput: {
            reason?: string;
        };
        /** @default [] */
        Thresholds: number[];
        Timestamp: string;
        /** @default UTC */
        Timezone: string;
        TopUp: {
            id: string;
            name: string | null;
            amount_usd: components["schemas"]["Usd"];
            spent_usd: components["schemas"]["Usd"];
            held_usd: components["schemas"]["Usd"];
            remaining_usd: components["schemas"]["Usd"];
            refused_count: components["schemas"]["Count"];
            exhausted_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
        };
        TopUpInput: {
            amount_usd: components["schemas"]["Usd"];
            name?: string;
        };
        TopUpList: {
            data: components["schemas"]["TopUp"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        TracesBody: {
            resourceSpans?: ({
                resource?: {
                    [key: string]: unknown;
                };
                scopeSpans?: ({
                    spans?: {
                        [key: string]: unknown;
                    }[];
                } & {
                    [key: string]: unknown;
                })[];
            } & {
                [key: string]: unknown;
            })[];
        } & {
            [key: string]: unknown;
        };
        TrustInput: {
            /** @enum {unknown} */
            reported_cost?: "accept" | "raise_only" | "ignore";
            /** @enum {unknown} */
            reported_usage?: "accept" | "raise_only";
            min_lease_seconds?: number;
            /** @enum {unknown} */
            release?: "allow" | "refuse";
            /** @enum {unknown} */
            edge_expiry?: "release" | "charge";
            /** @enum {unknown} */
            over_limit_reports?: "refuse" | "book";
            max_overrun_usd?: components["schemas"]["Usd"] | null;
            start_only?: boolean;
            input_required?: boolean;
            action_required?: boolean;
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        TrustPatch: {
            /** @enum {unknown} */
            reported_cost?: "accept" | "raise_only" | "ignore";
            /** @enum {unknown} */
            reported_usage?: "accept" | "raise_only";
            min_lease_seconds?: number;
            /** @enum {unknown} */
            release?: "allow" | "refuse";
            /** @enum {unknown} */
            edge_expiry?: "release" | "charge";
            /** @enum {unknown} */
            over_limit_reports?: "refuse" | "book";
            max_overrun_usd?: components["schemas"]["Usd"] | null;
            start_only?: boolean;
            input_required?: boolean;
            action_required?: boolean;
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        TrustSettings: {
            reported_cost: string;
            reported_usage: string;
            min_lease_seconds: number;
            release: string;
            edge_expiry: string;
            over_limit_reports: string;
            max_overrun_usd: components["schemas"]["Usd"] | null;
            start_only: boolean;
            input_required: boolean;
            action_required: boolean;
            created_at: components["schemas"]["Timestamp"] | null;
            updated_at: components["schemas"]["Timestamp"] | null;
        };
        UnauthorizedError: {
            error: {
                /** @enum {string} */
                code: "unauthorized";
                message: string;
                details: Record<string, never>;
            };
        };
        Units: {
            [key: string]: number;
        };
        Usage: {
            data: components["schemas"]["UsageRow"][];
            next_cursor: components["schemas"]["NextCursor"];
            totals: {
                runs: components["schemas"]["Count"];
                failed_runs: components["schemas"]["Count"];
                input_tokens: components["schemas"]["Count"];
                output_tokens: components["schemas"]["Count"];
                cache_read_input_tokens: components["schemas"]["Count"];
                cache_creation_input_tokens: components["schemas"]["Count"];
                reasoning_output_tokens: components["schemas"]["Count"];
                cost_usd: string;
                estimated_usd: string;
                overrun_usd: string;
                value_usd: string;
                average_duration_ms: components["schemas"]["Count"] | null;
            };
            granularity: string;
            from: components["schemas"]["Timestamp"];
            to: components["schemas"]["Timestamp"];
        };
        UsageDetail: {
            service_tier?: string;
            cache_creation_1h_input_tokens?: number;
            audio_input_tokens?: number;
            image_input_tokens?: number;
            video_input_tokens?: number;
            cache_read_audio_input_tokens?: number;
            cache_read_image_input_tokens?: number;
            audio_output_tokens?: number;
            image_output_tokens?: number;
            video_output_tokens?: number;
            citation_output_tokens?: number;
            units?: components["schemas"]["Units"];
            parts?: components["schemas"]["UsagePart"][];
        };
        UsageGroup: string;
        UsagePart: {
            model: components["schemas"]["OwnId"];
            provider?: string;
            usage: components["schemas"]["PartUsage"];
        };
        UsageRow: {
            period_start: components["schemas"]["Timestamp"];
            period_end: components["schemas"]["Timestamp"];
            model?: components["schemas"]["UsageGroup"] | null;
            provider?: components["schemas"]["UsageGroup"] | null;
            workflow_id?: components["schemas"]["UsageGroup"] | null;
            deployment_id?: components["schemas"]["UsageGroup"] | null;
            department_id?: components["schemas"]["UsageGroup"] | null;
            key_id?: components["schemas"]["UsageGroup"] | null;
            user_id?: components["schemas"]["UsageGroup"] | null;
            customer_id?: components["schemas"]["UsageGroup"] | null;
            runs: components["schemas"]["Count"];
            failed_runs: components["schemas"]["Count"];
            input_tokens: components["schemas"]["Count"];
            output_tokens: components["schemas"]["Count"];
            cache_read_input_tokens: components["schemas"]["Count"];
            cache_creation_input_tokens: components["schemas"]["Count"];
            reasoning_output_tokens: components["schemas"]["Count"];
            cost_usd: string;
            estimated_usd: string;
            overrun_usd: string;
            value_usd: string;
            average_duration_ms: components["schemas"]["Count"] | null;
        };
        UsageValuesLimitedEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "usage.values_limited";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                dimension: string;
                limit: components["schemas"]["Count"];
                day: string;
            };
        };
        Usd: string;
        ValidationFailedError: {
            error: {
                /** @enum {string} */
                code: "validation_failed";
                message: string;
                details: {
                    fields: components["schemas"]["FieldError"][];
                };
            };
        };
        WebhookPatch: {
            url?: string;
            destination?: components["schemas"]["DestinationInput"];
            /** @default [] */
            events?: string[];
            /** @default  */
            description?: string;
            /** @default false */
            ordered?: boolean;
            /** @default true */
            enabled?: boolean;
            id?: components["schemas"]["ReadOnlyField"];
            org_id?: components["schemas"]["ReadOnlyField"];
            unconfirmed_recipients?: components["schemas"]["IgnoredField"];
            disabled_reason?: components["schemas"]["ReadOnlyField"];
            disabled_at?: components["schemas"]["ReadOnlyField"];
            created_by_grant?: components["schemas"]["ReadOnlyField"];
            signing_version?: components["schemas"]["ReadOnlyField"];
            health?: components["schemas"]["IgnoredField"];
            created_at?: components["schemas"]["ReadOnlyField"];
            updated_at?: components["schemas"]["ReadOnlyField"];
        };
        WebhookTestEvent: {
            id: components["schemas"]["EventId"];
            /** @constant */
            type: "webhook.test";
            created_at: components["schemas"]["EventTime"];
            org_id: string;
            data: {
                subscription_id: string;
            };
        };
        WorkflowBounds: {
            workflow_id: components["schemas"]["OwnId"];
            max_cost_usd?: components["schemas"]["Usd"] | null;
            max_tokens?: components["schemas"]["Count"] | null;
            max_depth?: number | null;
        };
    };
    responses: {
        Answer: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/x-ndjson": string;
                "text/csv": string;
                "text/plain": string;
            };
        };
        Approval: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Approval"];
            };
        };
        AuditLogEntryList: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AuditLogEntryList"];
            };
        };
        AuditVerification: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AuditVerification"];
            };
        };
        BenchmarkMembership: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["BenchmarkMembership"];
            };
        };
        Budget: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Budget"];
            };
        };
        Budget2: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Budget"];
            };
        };
        BudgetDefault: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["BudgetDefault"];
            };
        };
        Cohort: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Cohort"];
            };
        };
        ConcurrencyDefault: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ConcurrencyDefault"];
            };
        };
        ContentSafety: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ContentSafety"];
            };
        };
        CreditPackList: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CreditPackList"];
            };
        };
        Deleted: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                [name: string]: unknown;
            };
            content?: never;
        };
        Delivery: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Delivery"];
            };
        };
        Dimension: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Dimension"];
            };
        };
        Domain: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Domain"];
            };
        };
        Error400: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error400.InsufficientCohortSize": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error400.Open": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        Error401: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error402.SpendCapExceeded.BudgetExceeded.QuotaExhausted.CreditsExhausted.PlanLimitExceeded.Frozen": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Server-Timing": components["headers"]["ServerTiming"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error402.SpendCapExceeded.BudgetExceeded.QuotaExhausted.Frozen": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Server-Timing": components["headers"]["ServerTiming"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error402.SpendCapExceeded.ChainBudgetExceeded.BudgetExceeded.QuotaExhausted.CreditsExhausted.PlanLimitExceeded.Frozen": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Server-Timing": components["headers"]["ServerTiming"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        Error403: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error403.PolicyBlocked.PolicyApprovalRequired": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Server-Timing": components["headers"]["ServerTiming"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error403.PolicyBlocked.PolicyApprovalRequired.ContentSafetyBlocked": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Server-Timing": components["headers"]["ServerTiming"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        Error404: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        Error409: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error409.Conflict": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error409.Conflict.NotIdempotencyKeyConflict.NotIdempotencyKeyProcessing": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        Error410: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error412.PreconditionFailed": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        Error413: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        Error422: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error422.Open": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        Error429: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "Retry-After": components["headers"]["RetryAfter"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error429.ChainBudgetExceeded": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "Retry-After": components["headers"]["RetryAfter"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error429.ChainBudgetExceeded.ConcurrencyExceeded": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "Retry-After": components["headers"]["RetryAfter"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Server-Timing": components["headers"]["ServerTiming"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error429.NotQuotaExhausted": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "Retry-After": components["headers"]["RetryAfter"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Server-Timing": components["headers"]["ServerTiming"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        Error500: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error500.Open": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error500.PolicyExpressionError": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Server-Timing": components["headers"]["ServerTiming"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        Error503: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error503.NoModelPassesEval": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Server-Timing": components["headers"]["ServerTiming"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error503.Open": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        ForeignKey: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ForeignKey"];
            };
        };
        Freeze: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Freeze"];
            };
        };
        InstallationPrices: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InstallationPrices"];
            };
        };
        JournalEntryList: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["JournalEntryList"];
            };
        };
        Key: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Key"];
            };
        };
        KeyList: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["KeyList"];
            };
        };
        KeyWithSecret: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["KeyWithSecret"];
            };
        };
        Member: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Member"];
            };
        };
        ModelRoute: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ModelRoute"];
            };
        };
        NothingHas: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content?: never;
        };
        OperatorAddressList: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["OperatorAddressList"];
            };
        };
        Org: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Org"];
            };
        };
        Org2: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Org"];
            };
        };
        Org3: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Org"];
            };
        };
        OtlpMapping: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["OtlpMapping"];
            };
        };
        OwnPrice: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["OwnPrice"];
            };
        };
        OwnPrice2: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["OwnPrice"];
            };
        };
        OwnPrice3: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["OwnPrice"];
            };
        };
        Plan: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Plan"];
            };
        };
        PriceImport: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PriceImport"];
            };
        };
        Prices: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Prices"];
            };
        };
        Proposal: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Proposal"];
            };
        };
        ReceivedAny: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
        Removed: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                [name: string]: unknown;
            };
            content?: never;
        };
        Reservation: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                "Server-Timing": components["headers"]["ServerTiming"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Reservation"];
            };
        };
        RetentionPolicy: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RetentionPolicy"];
            };
        };
        RevokedKey: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RevokedKey"];
            };
        };
        RoutingModel: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RoutingModel"];
            };
        };
        Rule: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Rule"];
            };
        };
        Session: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Session"];
            };
        };
        Session2: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Session"];
            };
        };
        SessionList: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["SessionList"];
            };
        };
        SessionPolicy: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["SessionPolicy"];
            };
        };
        SpendCap: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["SpendCap"];
            };
        };
        SsoConnection: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["SsoConnection"];
            };
        };
        SupportGrant: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["SupportGrant"];
            };
        };
        SupportGrant2: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["SupportGrant"];
            };
        };
        SupportGrantList: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["SupportGrantList"];
            };
        };
        Thawed: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                [name: string]: unknown;
            };
            content?: never;
        };
        TopUp: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TopUp"];
            };
        };
        TopUpList: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TopUpList"];
            };
        };
        TrustSettings: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TrustSettings"];
            };
        };
        TrustSettings2: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TrustSettings"];
            };
        };
        Usage: {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Usage"];
                "image/svg+xml": string;
            };
        };
        "Error400.Deprecated": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["DeprecationLink"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error401.Deprecated": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["DeprecationLink"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error403.Deprecated": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["DeprecationLink"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error404.Deprecated": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["DeprecationLink"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error410.Deprecated": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["DeprecationLink"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error422.Deprecated": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["DeprecationLink"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error429.Deprecated": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "Retry-After": components["headers"]["RetryAfter"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["DeprecationLink"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error500.Deprecated": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["DeprecationLink"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error503.Deprecated": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["DeprecationLink"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error409.Deprecated": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["DeprecationLink"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        "Error413.Deprecated": {
            headers: {
                "x-svc-trace-id": components["headers"]["TraceId"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["DeprecationLink"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        Action: string;
        ActorId: string;
        AndScopeId: components["schemas"]["OwnId"];
        AndScopeKind: "workflow" | "deployment" | "department" | "user" | "key" | "provider" | "model" | "tag" | "customer";
        ApprovalId: string;
        BudgetId: string;
        CohortId: string;
        ConcurrencyLimitId: string;
        ConnectionId: string;
        Cursor: string;
        Cursor2: string;
        Cursor3: string;
        Cursor4: string;
        CustomerId: components["schemas"]["OwnId"];
        CustomerId2: components["schemas"]["OwnId"];
        DeliveryId: string;
        DepartmentId: components["schemas"]["OwnId"];
        DeploymentId: components["schemas"]["OwnId"];
        Dimension: "workflow_id" | "deployment_id" | "department_id" | "customer_id" | "user_id" | "action" | "tags";
        DomainId: string;
        Enabled: boolean;
        EvalId: string;
        ForeignKeyId: string;
        Format: "json" | "svg";
        Format2: "ndjson" | "csv" | "cef" | "ocsf";
        From: string;
        GrantId: string;
        Granularity: "hour" | "day" | "week" | "month";
        GroupBy: string;
        Id: string;
        IdempotencyKey: string;
        IfMatch: string;
        IfNoneMatch: string;
        Industry: string;
        KeyId: string;
        KeyId2: string;
        Limit: number;
        LimitId: string;
        LimitId2: string;
        MemberId: string;
        Model: components["schemas"]["OwnId"];
        Model2: components["schemas"]["OwnId"];
        ModelId: string;
        OrgId: string;
        Outcome: "block" | "require_approval" | "allow" | "error";
        Outcome2: "allowed" | "denied";
        PackId: string;
        PasskeyId: string;
        Period: "day" | "week" | "month" | "quarter" | "year";
        Period2: "day" | "week" | "month" | "quarter" | "year";
        Period3: "week" | "month";
        PriceId: string;
        ProposalId: string;
        Provider: string;
        Provider2: string;
        Reason: string;
        ReconciliationId: string;
        ReservationId: string;
        RouteId: string;
        RuleId: string;
        RuleId2: string;
        RunId: string;
        ScimTokenId: string;
        ScopeId: components["schemas"]["OwnId"];
        ScopeId2: components["schemas"]["OwnId"];
        ScopeKind: "org" | "workflow" | "deployment" | "department" | "user" | "key" | "provider" | "model" | "tag";
        ScopeKind2: "department" | "workflow" | "deployment" | "user" | "key";
        ScopeKind3: "department" | "workflow" | "deployment" | "customer" | "user" | "key";
        SessionId: string;
        Shadow: boolean;
        Size: string;
        SlackLinkId: string;
        Sort: "created_at" | "-created_at" | "name" | "-name";
        Sort2: "created_at" | "-created_at" | "name" | "-name";
        Sort3: "created_at" | "-created_at";
        Sort4: "minute" | "-minute";
        Sort5: "period_start" | "-period_start";
        Sort6: "batch" | "-batch";
        Sort7: "created_at" | "-created_at";
        Status: "active" | "depleted" | "expired" | "voided";
        Status2: "pending" | "approved" | "denied" | "expired";
        Status3: "open" | "closed";
        Status4: "active" | "pending" | "expired" | "revoked";
        Status5: "active" | "revoked" | "expired";
        SubId: string;
        TargetId: string;
        Timezone: components["schemas"]["Timezone"];
        To: string;
        TopUpId: string;
        WebhookId: string;
        WebhookSignature: string;
        WebhookTimestamp: string;
        WorkflowId: components["schemas"]["OwnId"];
        Workload: string;
        XSvcEventVersion: string;
        XSvcSignature: string;
    };
    requestBodies: never;
    headers: {
        TraceId: string;
        RetryAfter: number;
        WwwAuthenticate: string;
        RateLimitPolicy: string;
        RateLimit: string;
        IdempotentReplayed: "true";
        ETag: string;
        Deprecation: string;
        Sunset: string;
        DeprecationLink: string;
        ServerTiming: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listDeprecations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeprecationEntry"][];
                };
            };
        };
    };
    listErrors: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: "code" | "-code";
                status?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorEntryList"];
                };
            };
        };
    };
    getOpenApiDocument: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    listDeprecatedCalls: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: "last_called_at" | "-last_called_at" | "calls" | "-calls";
                from?: components["parameters"]["From"];
                to?: components["parameters"]["To"];
                caller_id?: string;
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeprecatedCallsList"];
                };
            };
        };
    };
    getMyLimits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnLimits"];
                };
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
        };
    };
    listOrgs: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort"];
                status?: "active" | "suspended";
                name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrgList"];
                };
            };
        };
    };
    createOrg: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrgInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedOrg"];
                };
            };
        };
    };
    getOrgAsOperator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: components["parameters"]["OrgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Org"];
                };
            };
        };
    };
    getOrg: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Org"];
                };
            };
        };
    };
    putOrg: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrgReplacement"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Org"];
                };
            };
        };
    };
    updateOrg: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrgPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Org"];
                };
            };
        };
    };
    getIpAllowList: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IpAllowList"];
                };
            };
        };
    };
    putIpAllowList: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddressListInput"];
            };
        };
        responses: {
            200: components["responses"]["Org"];
        };
    };
    updateIpAllowList: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IpAllowListPatch"];
            };
        };
        responses: {
            200: components["responses"]["Org"];
        };
    };
    getResidency: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Residency"];
                };
            };
        };
    };
    putResidency: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResidencyInput"];
            };
        };
        responses: {
            200: components["responses"]["Org2"];
        };
    };
    updateResidency: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResidencyPatch"];
            };
        };
        responses: {
            200: components["responses"]["Org2"];
        };
    };
    resetIpAllowList: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                org_id: components["parameters"]["OrgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Org3"];
        };
    };
    suspendOrg: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                org_id: components["parameters"]["OrgId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SuspendInput"];
            };
        };
        responses: {
            200: components["responses"]["Org3"];
        };
    };
    resumeOrg: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                org_id: components["parameters"]["OrgId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SuspendInput"];
            };
        };
        responses: {
            200: components["responses"]["Org3"];
        };
    };
    getRateLimits: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                org_id: components["parameters"]["OrgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RateLimits"];
                };
            };
        };
    };
    putRateLimits: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                org_id: components["parameters"]["OrgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RateLimitsInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RateLimits"];
                };
            };
        };
    };
    updateRateLimits: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                org_id: components["parameters"]["OrgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RateLimitsPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RateLimits"];
                };
            };
        };
    };
    getSpendCap: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpendCapOrNotSet"];
                };
            };
        };
    };
    putSpendCap: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SpendCapInput"];
            };
        };
        responses: {
            200: components["responses"]["SpendCap"];
        };
    };
    deleteSpendCap: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Removed"];
        };
    };
    updateSpendCap: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SpendCapPatch"];
            };
        };
        responses: {
            200: components["responses"]["SpendCap"];
        };
    };
    listBudgets: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort2"];
                scope_kind?: "org" | "workflow" | "deployment" | "department" | "user" | "key" | "provider" | "model" | "tag";
                scope_id?: components["parameters"]["ScopeId"];
                period?: components["parameters"]["Period"];
                enforcement?: "block" | "alert";
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BudgetList"];
                };
            };
        };
    };
    createBudget: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BudgetInput"];
            };
        };
        responses: {
            201: components["responses"]["Budget"];
        };
    };
    getBudget: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                budget_id: components["parameters"]["BudgetId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Budget2"];
        };
    };
    putBudget: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                budget_id: components["parameters"]["BudgetId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BudgetReplacement"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Budget"];
                };
            };
        };
    };
    deleteBudget: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                budget_id: components["parameters"]["BudgetId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Deleted"];
        };
    };
    updateBudget: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                budget_id: components["parameters"]["BudgetId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BudgetPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Budget"];
                };
            };
        };
    };
    getScopedBudget: {
        parameters: {
            query: {
                scope_kind: components["parameters"]["ScopeKind"];
                scope_id?: components["parameters"]["ScopeId2"];
                and_scope_kind?: components["parameters"]["AndScopeKind"];
                and_scope_id?: components["parameters"]["AndScopeId"];
                period: components["parameters"]["Period2"];
            };
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Budget2"];
        };
    };
    putScopedBudget: {
        parameters: {
            query: {
                scope_kind: components["parameters"]["ScopeKind"];
                scope_id?: components["parameters"]["ScopeId2"];
                and_scope_kind?: components["parameters"]["AndScopeKind"];
                and_scope_id?: components["parameters"]["AndScopeId"];
                period: components["parameters"]["Period2"];
            };
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScopedBudgetInput"];
            };
        };
        responses: {
            200: components["responses"]["Budget"];
            201: components["responses"]["Budget"];
        };
    };
    deleteScopedBudget: {
        parameters: {
            query: {
                scope_kind: components["parameters"]["ScopeKind"];
                scope_id?: components["parameters"]["ScopeId2"];
                and_scope_kind?: components["parameters"]["AndScopeKind"];
                and_scope_id?: components["parameters"]["AndScopeId"];
                period: components["parameters"]["Period2"];
            };
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Deleted"];
        };
    };
    listBudgetDefaults: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BudgetDefaultList"];
                };
            };
        };
    };
    getBudgetDefault: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                scope_kind: components["parameters"]["ScopeKind2"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BudgetDefaultOrNotSet"];
                };
            };
        };
    };
    putBudgetDefault: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                scope_kind: components["parameters"]["ScopeKind2"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BudgetDefaultInput"];
            };
        };
        responses: {
            200: components["responses"]["BudgetDefault"];
        };
    };
    deleteBudgetDefault: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                scope_kind: components["parameters"]["ScopeKind2"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Removed"];
        };
    };
    updateBudgetDefault: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                scope_kind: components["parameters"]["ScopeKind2"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BudgetDefaultPatch"];
            };
        };
        responses: {
            200: components["responses"]["BudgetDefault"];
        };
    };
    listBudgetDefaultUsage: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: "scope_id" | "-scope_id";
                scope_id?: components["parameters"]["ScopeId"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
                scope_kind: components["parameters"]["ScopeKind2"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DefaultUsageList"];
                };
            };
        };
    };
    listConcurrencyLimits: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort2"];
                scope_kind?: "org" | "department" | "workflow" | "deployment" | "customer" | "provider" | "model" | "tag" | "user" | "key";
                scope_id?: components["parameters"]["ScopeId"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConcurrencyLimitList"];
                };
            };
        };
    };
    createConcurrencyLimit: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConcurrencyLimitInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConcurrencyLimit"];
                };
            };
        };
    };
    getConcurrencyLimit: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                concurrency_limit_id: components["parameters"]["ConcurrencyLimitId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConcurrencyLimit"];
                };
            };
        };
    };
    putConcurrencyLimit: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                concurrency_limit_id: components["parameters"]["ConcurrencyLimitId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConcurrencyLimitReplacement"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConcurrencyLimit"];
                };
            };
        };
    };
    deleteConcurrencyLimit: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                concurrency_limit_id: components["parameters"]["ConcurrencyLimitId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Deleted"];
        };
    };
    updateConcurrencyLimit: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                concurrency_limit_id: components["parameters"]["ConcurrencyLimitId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConcurrencyLimitPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConcurrencyLimit"];
                };
            };
        };
    };
    listConcurrencyDefaults: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConcurrencyDefaultList"];
                };
            };
        };
    };
    getConcurrencyDefault: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                scope_kind: components["parameters"]["ScopeKind3"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConcurrencyDefaultOrNotSet"];
                };
            };
        };
    };
    putConcurrencyDefault: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                scope_kind: components["parameters"]["ScopeKind3"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConcurrencyDefaultInput"];
            };
        };
        responses: {
            200: components["responses"]["ConcurrencyDefault"];
        };
    };
    deleteConcurrencyDefault: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                scope_kind: components["parameters"]["ScopeKind3"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Removed"];
        };
    };
    updateConcurrencyDefault: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                scope_kind: components["parameters"]["ScopeKind3"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConcurrencyDefaultPatch"];
            };
        };
        responses: {
            200: components["responses"]["ConcurrencyDefault"];
        };
    };
    listFreezes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FreezeList"];
                };
            };
        };
    };
    freezeOrg: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FreezeInput"];
            };
        };
        responses: {
            200: components["responses"]["Freeze"];
        };
    };
    thawOrg: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Thawed"];
        };
    };
    freezeKey: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
                key_id: components["parameters"]["KeyId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FreezeInput"];
            };
        };
        responses: {
            200: components["responses"]["Freeze"];
        };
    };
    thawKey: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
                key_id: components["parameters"]["KeyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Thawed"];
        };
    };
    freezeLimit: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
                limit_id: components["parameters"]["LimitId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FreezeInput"];
            };
        };
        responses: {
            200: components["responses"]["Freeze"];
        };
    };
    thawLimit: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
                limit_id: components["parameters"]["LimitId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Thawed"];
        };
    };
    listKeyReporting: {
        parameters: {
            query?: {
                days?: number;
                limit?: number;
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyReportingList"];
                };
            };
        };
    };
    getTrust: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TrustSettings"];
        };
    };
    putTrust: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TrustInput"];
            };
        };
        responses: {
            200: components["responses"]["TrustSettings2"];
        };
    };
    deleteTrust: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Removed"];
        };
    };
    updateTrust: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TrustPatch"];
            };
        };
        responses: {
            200: components["responses"]["TrustSettings2"];
        };
    };
    getKeyTrust: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                key_id: components["parameters"]["KeyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TrustSettings"];
        };
    };
    putKeyTrust: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                key_id: components["parameters"]["KeyId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TrustInput"];
            };
        };
        responses: {
            200: components["responses"]["TrustSettings2"];
        };
    };
    deleteKeyTrust: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                key_id: components["parameters"]["KeyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Removed"];
        };
    };
    updateKeyTrust: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                key_id: components["parameters"]["KeyId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyTrustPatch"];
            };
        };
        responses: {
            200: components["responses"]["TrustSettings2"];
        };
    };
    listDimensions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DimensionList"];
                };
            };
        };
    };
    getDimension: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                dimension: components["parameters"]["Dimension"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dimension"];
                };
            };
        };
    };
    putDimension: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                dimension: components["parameters"]["Dimension"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DimensionInput"];
            };
        };
        responses: {
            200: components["responses"]["Dimension"];
        };
    };
    deleteDimension: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                dimension: components["parameters"]["Dimension"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Removed"];
        };
    };
    updateDimension: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                dimension: components["parameters"]["Dimension"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DimensionPatch"];
            };
        };
        responses: {
            200: components["responses"]["Dimension"];
        };
    };
    getCustomerLimit: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                customer_id: components["parameters"]["CustomerId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomerLimitOrNotSet"];
                };
            };
        };
    };
    putCustomerLimit: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                customer_id: components["parameters"]["CustomerId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CustomerLimitInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomerLimit"];
                };
            };
        };
    };
    deleteCustomerLimit: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                customer_id: components["parameters"]["CustomerId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Removed"];
        };
    };
    updateCustomerLimit: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                customer_id: components["parameters"]["CustomerId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CustomerLimitPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomerLimit"];
                };
            };
        };
    };
    listCustomerLimits: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: "created_at" | "-created_at" | "customer_id" | "-customer_id";
                customer_id?: components["parameters"]["CustomerId2"];
                period?: components["parameters"]["Period"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomerLimitList"];
                };
            };
        };
    };
    getCustomerLimitDefault: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomerDefaultOrNotSet"];
                };
            };
        };
    };
    putCustomerLimitDefault: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CustomerDefaultInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomerDefault"];
                };
            };
        };
    };
    deleteCustomerLimitDefault: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Removed"];
        };
    };
    updateCustomerLimitDefault: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CustomerLimitDefaultPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomerDefault"];
                };
            };
        };
    };
    listCreditPacks: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort3"];
                status?: components["parameters"]["Status"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
                customer_id: components["parameters"]["CustomerId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["CreditPackList"];
        };
    };
    createCreditPack: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
                customer_id: components["parameters"]["CustomerId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreditPackInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreditPack"];
                };
            };
        };
    };
    listOrgCreditPacks: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort3"];
                customer_id?: components["parameters"]["CustomerId2"];
                status?: components["parameters"]["Status"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["CreditPackList"];
        };
    };
    getCreditPack: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
                pack_id: components["parameters"]["PackId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreditPack"];
                };
            };
        };
    };
    voidCreditPack: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
                pack_id: components["parameters"]["PackId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreditPack"];
                };
            };
        };
    };
    getQuota: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quota"];
                };
            };
        };
    };
    listTopUps: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort3"];
            };
            header?: never;
            path: {
                org_id: components["parameters"]["OrgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TopUpList"];
        };
    };
    createTopUp: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                org_id: components["parameters"]["OrgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TopUpInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TopUp"];
                };
            };
        };
    };
    getTopUp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: components["parameters"]["OrgId"];
                top_up_id: components["parameters"]["TopUpId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TopUp"];
        };
    };
    listOwnTopUps: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort3"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TopUpList"];
        };
    };
    getOwnTopUp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
                top_up_id: components["parameters"]["TopUpId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TopUp"];
        };
    };
    getPlan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanOrNotSet"];
                };
            };
        };
    };
    getPlanAsOperator: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                org_id: components["parameters"]["OrgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanOrNotSet"];
                };
            };
        };
    };
    putPlan: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                org_id: components["parameters"]["OrgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlanInput"];
            };
        };
        responses: {
            200: components["responses"]["Plan"];
        };
    };
    deletePlan: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                org_id: components["parameters"]["OrgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Removed"];
        };
    };
    updatePlan: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                org_id: components["parameters"]["OrgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlanPatch"];
            };
        };
        responses: {
            200: components["responses"]["Plan"];
        };
    };
    getChainLimits: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChainLimits"];
                };
            };
        };
    };
    putChainLimits: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChainLimitsInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChainLimits"];
                };
            };
        };
    };
    updateChainLimits: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChainLimitsPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChainLimits"];
                };
            };
        };
    };
    getInstallationPrices: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstallationPrices"];
                };
            };
        };
    };
    putInstallationPrices: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InstallationPricesInput"];
            };
        };
        responses: {
            200: components["responses"]["InstallationPrices"];
        };
    };
    createInstallationPrice: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPriceReplacement"];
            };
        };
        responses: {
            201: components["responses"]["OwnPrice"];
        };
    };
    updateInstallationPrices: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InstallationPricesPatch"];
            };
        };
        responses: {
            200: components["responses"]["InstallationPrices"];
        };
    };
    getInstallationPrice: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                price_id: components["parameters"]["PriceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["OwnPrice2"];
        };
    };
    putInstallationPrice: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                price_id: components["parameters"]["PriceId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPrice"];
            };
        };
        responses: {
            200: components["responses"]["OwnPrice"];
        };
    };
    deleteInstallationPrice: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                price_id: components["parameters"]["PriceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Removed"];
        };
    };
    updateInstallationPrice: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                price_id: components["parameters"]["PriceId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InstallationPricePatch"];
            };
        };
        responses: {
            200: components["responses"]["OwnPrice3"];
        };
    };
    getPrices: {
        parameters: {
            query?: {
                model?: string;
            };
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Prices"];
                };
            };
        };
    };
    putPrices: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PricesInput"];
            };
        };
        responses: {
            200: components["responses"]["Prices"];
        };
    };
    createPrice: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPriceReplacement"];
            };
        };
        responses: {
            201: components["responses"]["OwnPrice"];
        };
    };
    updatePrices: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PricesPatch"];
            };
        };
        responses: {
            200: components["responses"]["Prices"];
        };
    };
    comparePrices: {
        parameters: {
            query?: never;
            header?: {
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PriceComparisonInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PriceComparison"];
                };
            };
        };
    };
    getPrice: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                price_id: components["parameters"]["PriceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["OwnPrice2"];
        };
    };
    putPrice: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                price_id: components["parameters"]["PriceId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPrice"];
            };
        };
        responses: {
            200: components["responses"]["OwnPrice"];
        };
    };
    deletePrice: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                price_id: components["parameters"]["PriceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Removed"];
        };
    };
    updatePrice: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                price_id: components["parameters"]["PriceId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PricePatch"];
            };
        };
        responses: {
            200: components["responses"]["OwnPrice3"];
        };
    };
    importPrices: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PriceImportInput"];
            };
        };
        responses: {
            200: components["responses"]["PriceImport"];
        };
    };
    importInstallationPrices: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PriceImportInput"];
            };
        };
        responses: {
            200: components["responses"]["PriceImport"];
        };
    };
    decideAtEdge: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DecisionInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    "Server-Timing": components["headers"]["ServerTiming"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EdgeDecision"];
                };
            };
        };
    };
    releaseReservation: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                reservation_id: components["parameters"]["ReservationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Reservation"];
        };
    };
    extendReservation: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                reservation_id: components["parameters"]["ReservationId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ExtendInput"];
            };
        };
        responses: {
            200: components["responses"]["Reservation"];
        };
    };
    listReservations: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort3"];
                from?: components["parameters"]["From"];
                to?: components["parameters"]["To"];
                status?: "open" | "settled" | "released" | "expired";
                key_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReservationList"];
                };
            };
        };
    };
    getReservation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                reservation_id: components["parameters"]["ReservationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reservation"];
                };
            };
        };
    };
    explainDecision: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                decision_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Explanation"];
                };
            };
        };
    };
    listRefusals: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort4"];
                from?: components["parameters"]["From"];
                to?: components["parameters"]["To"];
                limit_id?: string;
                rule_id?: string;
                error_code?: string;
                surface?: "edge" | "run" | "bulk";
                key_id?: string;
                model?: string;
                workflow_id?: components["schemas"]["OwnId"];
                deployment_id?: components["schemas"]["OwnId"];
                department_id?: components["schemas"]["OwnId"];
                customer_id?: components["parameters"]["CustomerId2"];
                user_id?: components["schemas"]["OwnId"];
                chain_id?: components["schemas"]["OwnId"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RefusalList"];
                };
            };
        };
    };
    countRefusals: {
        parameters: {
            query?: {
                from?: components["parameters"]["From"];
                to?: components["parameters"]["To"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DailyRefusals"];
                };
            };
        };
    };
    getRefusal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
                refusal_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    listPolicies: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: "created_at" | "-created_at" | "priority" | "-priority" | "name" | "-name";
                effect?: "block" | "require_approval" | "allow";
                target?: "model" | "action";
                enabled?: components["parameters"]["Enabled"];
                shadow?: components["parameters"]["Shadow"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleList"];
                };
            };
        };
    };
    createPolicy: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RuleInput"];
            };
        };
        responses: {
            201: components["responses"]["Rule"];
        };
    };
    listPolicyMatches: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort4"];
                rule_id?: components["parameters"]["RuleId"];
                outcome?: components["parameters"]["Outcome"];
                shadow?: components["parameters"]["Shadow"];
                from?: components["parameters"]["From"];
                to?: components["parameters"]["To"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyMatchList"];
                };
            };
        };
    };
    countPolicyMatches: {
        parameters: {
            query?: {
                from?: components["parameters"]["From"];
                to?: components["parameters"]["To"];
                rule_id?: components["parameters"]["RuleId"];
                outcome?: components["parameters"]["Outcome"];
                shadow?: components["parameters"]["Shadow"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DailyMatches"];
                };
            };
        };
    };
    getPolicy: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                rule_id: components["parameters"]["RuleId2"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rule"];
                };
            };
        };
    };
    putPolicy: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                rule_id: components["parameters"]["RuleId2"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RuleReplacement"];
            };
        };
        responses: {
            200: components["responses"]["Rule"];
        };
    };
    deletePolicy: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                rule_id: components["parameters"]["RuleId2"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Deleted"];
        };
    };
    updatePolicy: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                rule_id: components["parameters"]["RuleId2"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rule"];
                };
            };
        };
    };
    evaluatePolicies: {
        parameters: {
            query?: never;
            header?: {
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EvaluateInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Evaluation"];
                };
            };
        };
    };
    listApprovals: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort3"];
                status?: components["parameters"]["Status2"];
                rule_id?: string;
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalList"];
                };
            };
        };
    };
    getApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
                approval_id: components["parameters"]["ApprovalId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
        };
    };
    approveApproval: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
                approval_id: components["parameters"]["ApprovalId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ApproveInput"];
            };
        };
        responses: {
            200: components["responses"]["Approval"];
        };
    };
    revokeApproval: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
                approval_id: components["parameters"]["ApprovalId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Approval"];
        };
    };
    denyApproval: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
                approval_id: components["parameters"]["ApprovalId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DenyInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
        };
    };
    proposeBudgetIncrease: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
                budget_id: components["parameters"]["BudgetId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BudgetIncreaseInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Proposal"];
                };
            };
        };
    };
    listProposals: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort3"];
                status?: components["parameters"]["Status2"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProposalList"];
                };
            };
        };
    };
    proposeBudget: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BudgetProposalInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Proposal"];
                };
            };
        };
    };
    getProposal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
                proposal_id: components["parameters"]["ProposalId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Proposal"];
                };
            };
        };
    };
    approveProposal: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
                proposal_id: components["parameters"]["ProposalId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ProposalDecision"];
            };
        };
        responses: {
            200: components["responses"]["Proposal"];
        };
    };
    denyProposal: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
                proposal_id: components["parameters"]["ProposalId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ProposalDecision"];
            };
        };
        responses: {
            200: components["responses"]["Proposal"];
        };
    };
    getSlackApp: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SlackAppOrNotSet"];
                };
            };
        };
    };
    putSlackApp: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SlackAppInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SlackApp"];
                };
            };
        };
    };
    deleteSlackApp: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Removed"];
        };
    };
    updateSlackApp: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SlackAppPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SlackApp"];
                };
            };
        };
    };
    getSlackManifest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SlackManifest"];
                };
            };
        };
    };
    testSlackApp: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SlackAppTest"];
                };
            };
        };
    };
    listSlackLinks: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort3"];
                member_id?: string;
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SlackLinkList"];
                };
            };
        };
    };
    getSlackLink: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                slack_link_id: components["parameters"]["SlackLinkId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SlackLink"];
                };
            };
        };
    };
    deleteSlackLink: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                slack_link_id: components["parameters"]["SlackLinkId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getContentSafety: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentSafety"];
                };
            };
        };
    };
    putContentSafety: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ContentSafetyInput"];
            };
        };
        responses: {
            200: components["responses"]["ContentSafety"];
        };
    };
    updateContentSafety: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContentSafetyPatch"];
            };
        };
        responses: {
            200: components["responses"]["ContentSafety"];
        };
    };
    testContentSafety: {
        parameters: {
            query?: never;
            header?: {
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContentSafetyTestInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentSafetyTest"];
                };
            };
        };
    };
    backtestPolicies: {
        parameters: {
            query?: never;
            header?: {
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["BacktestInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backtest"];
                    "application/x-ndjson": string;
                };
            };
        };
    };
    listModels: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: "created_at" | "-created_at" | "model" | "-model";
                model?: components["parameters"]["Model"];
                provider?: components["parameters"]["Provider"];
                enabled?: components["parameters"]["Enabled"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoutingModelList"];
                };
            };
        };
    };
    createModel: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ModelInput"];
            };
        };
        responses: {
            201: components["responses"]["RoutingModel"];
        };
    };
    getModel: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                model_id: components["parameters"]["ModelId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoutingModel"];
                };
            };
        };
    };
    putModel: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                model_id: components["parameters"]["ModelId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ModelReplacement"];
            };
        };
        responses: {
            200: components["responses"]["RoutingModel"];
        };
    };
    deleteModel: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                model_id: components["parameters"]["ModelId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Removed"];
        };
    };
    updateModel: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                model_id: components["parameters"]["ModelId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ModelPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoutingModel"];
                };
            };
        };
    };
    listEvals: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort3"];
                suite?: string;
                model?: components["parameters"]["Model"];
                provider?: components["parameters"]["Provider"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvalResultList"];
                };
            };
        };
    };
    postEvals: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EvalsInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostedEvals"];
                };
            };
        };
    };
    getEval: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                eval_id: components["parameters"]["EvalId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvalResult"];
                };
            };
        };
    };
    deleteEval: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                eval_id: components["parameters"]["EvalId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Removed"];
        };
    };
    listRoutes: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort2"];
                name?: string;
                strategy?: "cheapest" | "fastest" | "best" | "weighted";
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelRouteList"];
                };
            };
        };
    };
    createRoute: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RouteInput"];
            };
        };
        responses: {
            201: components["responses"]["ModelRoute"];
        };
    };
    getRoute: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                route_id: components["parameters"]["RouteId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelRoute"];
                };
            };
        };
    };
    putRoute: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                route_id: components["parameters"]["RouteId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RouteReplacement"];
            };
        };
        responses: {
            200: components["responses"]["ModelRoute"];
        };
    };
    deleteRoute: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                route_id: components["parameters"]["RouteId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Deleted"];
        };
    };
    updateRoute: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                route_id: components["parameters"]["RouteId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RoutePatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelRoute"];
                };
            };
        };
    };
    decideRoute: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RoutingInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    "Server-Timing": components["headers"]["ServerTiming"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoutingDecision"];
                };
            };
        };
    };
    listRuns: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: "started_at" | "-started_at" | "cost_usd" | "-cost_usd";
                from?: components["parameters"]["From"];
                to?: components["parameters"]["To"];
                model?: components["parameters"]["Model"];
                provider?: components["parameters"]["Provider"];
                status?: "running" | "succeeded" | "failed" | "cancelled" | "expired";
                workflow_id?: components["schemas"]["OwnId"];
                deployment_id?: components["schemas"]["OwnId"];
                department_id?: components["schemas"]["OwnId"];
                customer_id?: components["schemas"]["OwnId"];
                user_id?: components["schemas"]["OwnId"];
                chain_id?: components["schemas"]["OwnId"];
                tag?: string;
                external_id?: components["schemas"]["OwnId"];
                key_id?: string;
                parent_run_id?: string;
                min_cost_usd?: components["schemas"]["Usd"];
                max_cost_usd?: components["schemas"]["Usd"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunList"];
                };
            };
        };
    };
    startRun: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["StartInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    "Server-Timing": components["headers"]["ServerTiming"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DryRun"];
                };
            };
            201: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    "Server-Timing": components["headers"]["ServerTiming"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedRun"];
                };
            };
        };
    };
    finishRun: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                run_id: components["parameters"]["RunId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FinishInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    "Server-Timing": components["headers"]["ServerTiming"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FinishedRun"];
                };
            };
        };
    };
    extendRun: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                run_id: components["parameters"]["RunId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ExtendInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    "Server-Timing": components["headers"]["ServerTiming"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    recordRuns: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkInput"];
                "application/x-ndjson": string;
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkAnswer"];
                };
            };
        };
    };
    getOtlpMapping: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OtlpMapping"];
                };
            };
        };
    };
    putOtlpMapping: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    workflow_id?: string[] | null;
                    deployment_id?: string[] | null;
                    department_id?: string[] | null;
                    customer_id?: string[] | null;
                    user_id?: string[] | null;
                    seat_keys?: string[] | null;
                    seat_accounts?: components["schemas"]["OwnId"][] | null;
                    seat_logins?: boolean | null;
                    created_at?: components["schemas"]["ReadOnlyField"];
                    updated_at?: components["schemas"]["ReadOnlyField"];
                };
            };
        };
        responses: {
            200: components["responses"]["OtlpMapping"];
        };
    };
    deleteOtlpMapping: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Removed"];
        };
    };
    updateOtlpMapping: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OtlpMappingPatch"];
            };
        };
        responses: {
            200: components["responses"]["OtlpMapping"];
        };
    };
    importTraces: {
        parameters: {
            query?: never;
            header?: {
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TracesBody"];
                "application/x-protobuf": string;
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        partialSuccess?: {
                            rejectedSpans: string;
                            errorMessage: string;
                        };
                    };
                    "application/x-protobuf": string;
                };
            };
        };
    };
    importLogs: {
        parameters: {
            query?: never;
            header?: {
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["LogsBody"];
                "application/x-protobuf": string;
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        partialSuccess?: {
                            rejectedLogRecords: string;
                            errorMessage: string;
                        };
                    };
                    "application/x-protobuf": string;
                };
            };
        };
    };
    importMetrics: {
        parameters: {
            query?: never;
            header?: {
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["MetricsBody"];
                "application/x-protobuf": string;
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        partialSuccess?: {
                            rejectedDataPoints: string;
                            errorMessage: string;
                        };
                    };
                    "application/x-protobuf": string;
                };
            };
        };
    };
    getUsage: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor2"];
                sort?: components["parameters"]["Sort5"];
                from?: components["parameters"]["From"];
                to?: components["parameters"]["To"];
                model?: components["parameters"]["Model2"];
                provider?: components["parameters"]["Provider2"];
                workflow_id?: components["parameters"]["WorkflowId"];
                deployment_id?: components["parameters"]["DeploymentId"];
                department_id?: components["parameters"]["DepartmentId"];
                key_id?: string;
                user_id?: components["schemas"]["OwnId"];
                customer_id?: components["schemas"]["OwnId"];
                granularity?: components["parameters"]["Granularity"];
                group_by?: components["parameters"]["GroupBy"];
                format?: components["parameters"]["Format"];
                timezone?: components["parameters"]["Timezone"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Usage"];
        };
    };
    getMyUsage: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor2"];
                sort?: components["parameters"]["Sort5"];
                from?: components["parameters"]["From"];
                to?: components["parameters"]["To"];
                model?: components["parameters"]["Model2"];
                provider?: components["parameters"]["Provider2"];
                workflow_id?: components["parameters"]["WorkflowId"];
                deployment_id?: components["parameters"]["DeploymentId"];
                department_id?: components["parameters"]["DepartmentId"];
                granularity?: components["parameters"]["Granularity"];
                group_by?: components["parameters"]["GroupBy"];
                format?: components["parameters"]["Format"];
                timezone?: components["parameters"]["Timezone"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Usage"];
        };
    };
    exportUsage: {
        parameters: {
            query?: {
                from?: components["parameters"]["From"];
                to?: components["parameters"]["To"];
                format?: "focus-csv" | "focus-1.4-csv";
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    getRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: components["parameters"]["RunId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    getChain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                chain_id: components["schemas"]["OwnId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Chain"];
                };
            };
        };
    };
    getForecasts: {
        parameters: {
            query?: {
                metric?: "cost" | "runs" | "tokens";
                by?: "model" | "workflow" | "deployment" | "department";
                model?: components["parameters"]["Model2"];
                workflow_id?: components["parameters"]["WorkflowId"];
                deployment_id?: components["parameters"]["DeploymentId"];
                department_id?: components["parameters"]["DepartmentId"];
                horizon_days?: number;
                step?: "day" | "week" | "month";
                timezone?: string;
                training_days?: number;
                scenario?: string[];
                format?: "json" | "svg";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forecasts"];
                    "image/svg+xml": string;
                };
            };
        };
    };
    projectReturns: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: string;
                sort?: "deployment_id" | "-deployment_id";
                deployment_id?: components["schemas"]["OwnId"];
                team_count?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["DeprecationLink"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinearForecast"];
                };
            };
        };
    };
    listReconciliations: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort3"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReconciliationSummaryList"];
                };
            };
        };
    };
    createReconciliation: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReconciliationInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reconciliation"];
                };
            };
        };
    };
    getReconciliation: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                reconciliation_id: components["parameters"]["ReconciliationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reconciliation"];
                };
            };
        };
    };
    deleteReconciliation: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                reconciliation_id: components["parameters"]["ReconciliationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Deleted"];
        };
    };
    getRetentionPolicy: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetentionPolicy"];
                };
            };
        };
    };
    putRetentionPolicy: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RetentionPolicyInput"];
            };
        };
        responses: {
            200: components["responses"]["RetentionPolicy"];
        };
    };
    updateRetentionPolicy: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RetentionPolicyPatch"];
            };
        };
        responses: {
            200: components["responses"]["RetentionPolicy"];
        };
    };
    listLedger: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort6"];
                from?: components["parameters"]["From"];
                to?: components["parameters"]["To"];
                limit_id?: components["parameters"]["LimitId2"];
                key_id?: components["parameters"]["KeyId2"];
                kind?: "hold" | "settle" | "release" | "expire" | "charge" | "adjust";
                reservation_id?: string;
                max_changes?: number;
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["JournalEntryList"];
        };
    };
    listBenchmarkCohorts: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort2"];
                industry?: components["parameters"]["Industry"];
                size?: components["parameters"]["Size"];
                workload?: components["parameters"]["Workload"];
                period?: components["parameters"]["Period3"];
                status?: components["parameters"]["Status3"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedCohortList"];
                };
            };
        };
    };
    getBenchmark: {
        parameters: {
            query?: {
                period?: components["schemas"]["IsoDate"];
                format?: "json" | "svg";
            };
            header?: never;
            path: {
                cohort_id: components["parameters"]["CohortId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Benchmark"];
                    "image/svg+xml": string;
                };
            };
        };
    };
    getBenchmarkMembership: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BenchmarkMembership"];
                };
            };
        };
    };
    putBenchmarkMembership: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MembershipInput"];
            };
        };
        responses: {
            200: components["responses"]["BenchmarkMembership"];
        };
    };
    updateBenchmarkMembership: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BenchmarkMembershipPatch"];
            };
        };
        responses: {
            200: components["responses"]["BenchmarkMembership"];
        };
    };
    listCohortDefinitions: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort2"];
                industry?: components["parameters"]["Industry"];
                size?: components["parameters"]["Size"];
                workload?: components["parameters"]["Workload"];
                period?: components["parameters"]["Period3"];
                status?: components["parameters"]["Status3"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CohortList"];
                };
            };
        };
    };
    createBenchmarkCohort: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CohortInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cohort"];
                };
            };
        };
    };
    getCohortDefinition: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                cohort_id: components["parameters"]["CohortId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cohort"];
                };
            };
        };
    };
    putBenchmarkCohort: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                cohort_id: components["parameters"]["CohortId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CohortReplacement"];
            };
        };
        responses: {
            200: components["responses"]["Cohort"];
        };
    };
    updateBenchmarkCohort: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                cohort_id: components["parameters"]["CohortId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BenchmarkCohortPatch"];
            };
        };
        responses: {
            200: components["responses"]["Cohort"];
        };
    };
    listAdjustments: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort6"];
                from?: components["parameters"]["From"];
                to?: components["parameters"]["To"];
                limit_id?: components["parameters"]["LimitId2"];
                key_id?: components["parameters"]["KeyId2"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["JournalEntryList"];
        };
    };
    createAdjustment: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AdjustmentInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JournalEntry"];
                };
            };
        };
    };
    getAdjustment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
                adjustment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JournalEntry"];
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort"];
                role?: "owner" | "admin" | "member" | "viewer" | "service";
                status?: components["parameters"]["Status4"];
                minted_by?: string;
                owner_id?: string;
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["KeyList"];
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyWithSecret"];
                };
            };
        };
    };
    getKey: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                key_id: components["parameters"]["KeyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    putKey: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                key_id: components["parameters"]["KeyId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyChange"];
            };
        };
        responses: {
            200: components["responses"]["Key"];
        };
    };
    updateKey: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                key_id: components["parameters"]["KeyId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyPatch"];
            };
        };
        responses: {
            200: components["responses"]["Key"];
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
                key_id: components["parameters"]["KeyId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RevokeInput"];
            };
        };
        responses: {
            200: components["responses"]["RevokedKey"];
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
                key_id: components["parameters"]["KeyId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateKeyInput"];
            };
        };
        responses: {
            200: components["responses"]["KeyWithSecret"];
        };
    };
    createOwnerKey: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                org_id: components["parameters"]["OrgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OwnerKeyInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyWithSecret"];
                };
            };
        };
    };
    listForeignKeys: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort3"];
                status?: "active" | "contested" | "expired" | "ended" | "revoked";
                key_id?: string;
                owner_id?: string;
                used_since?: components["schemas"]["Moment"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ForeignKeyList"];
                };
            };
        };
    };
    registerForeignKeys: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ForeignKeysInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegisteredForeignKeys"];
                };
            };
        };
    };
    getForeignKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
                foreign_key_id: components["parameters"]["ForeignKeyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ForeignKey"];
                };
            };
        };
    };
    endForeignKey: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
                foreign_key_id: components["parameters"]["ForeignKeyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ForeignKey"];
        };
    };
    listContestedForeignKeys: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: "contested_at" | "-contested_at";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContestedForeignKeyList"];
                };
            };
        };
    };
    awardForeignKey: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                org_id: components["parameters"]["OrgId"];
                foreign_key_id: components["parameters"]["ForeignKeyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ForeignKey"];
        };
    };
    listMySessions: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort3"];
                status?: components["parameters"]["Status5"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["SessionList"];
        };
    };
    getMySession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: components["parameters"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Session"];
        };
    };
    revokeMySession: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                session_id: components["parameters"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Session2"];
        };
    };
    revokeMySessions: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedSessions"];
                };
            };
        };
    };
    createSignInLink: {
        parameters: {
            query?: never;
            header?: {
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            201: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInLink"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort3"];
                status?: components["parameters"]["Status5"];
                key_id?: string;
                member_id?: string;
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["SessionList"];
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
                session_id: components["parameters"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Session"];
        };
    };
    revokeSession: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
                session_id: components["parameters"]["SessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Session2"];
        };
    };
    getSessionPolicy: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionPolicy"];
                };
            };
        };
    };
    putSessionPolicy: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SessionPolicyInput"];
            };
        };
        responses: {
            200: components["responses"]["SessionPolicy"];
        };
    };
    updateSessionPolicy: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionPolicyPatch"];
            };
        };
        responses: {
            200: components["responses"]["SessionPolicy"];
        };
    };
    listMembers: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort3"];
                status?: "invited" | "active" | "deactivated" | "removed";
                role?: "owner" | "admin" | "member" | "viewer";
                email?: string;
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberList"];
                };
            };
        };
    };
    createMember: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitedMember"];
                };
            };
        };
    };
    getMember: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                member_id: components["parameters"]["MemberId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    putMember: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                member_id: components["parameters"]["MemberId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberChange"];
            };
        };
        responses: {
            200: components["responses"]["Member"];
        };
    };
    deleteMember: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                member_id: components["parameters"]["MemberId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Removed"];
        };
    };
    updateMember: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                member_id: components["parameters"]["MemberId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberPatch"];
            };
        };
        responses: {
            200: components["responses"]["Member"];
        };
    };
    createInvitation: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
                member_id: components["parameters"]["MemberId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            201: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitedMember"];
                };
            };
        };
    };
    listScimTokens: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort3"];
                status?: "active" | "revoked";
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScimTokenList"];
                };
            };
        };
    };
    createScimToken: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScimTokenInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScimTokenWithSecret"];
                };
            };
        };
    };
    getScimToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
                scim_token_id: components["parameters"]["ScimTokenId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScimToken"];
                };
            };
        };
    };
    revokeScimToken: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
                scim_token_id: components["parameters"]["ScimTokenId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScimToken"];
                };
            };
        };
    };
    getDirectoryRoles: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DirectoryRoles"];
                };
            };
        };
    };
    putDirectoryRoles: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DirectoryRolesInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DirectoryRoles"];
                };
            };
        };
    };
    updateDirectoryRoles: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DirectoryRolesPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DirectoryRoles"];
                };
            };
        };
    };
    listSsoConnections: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort3"];
                enabled?: components["parameters"]["Enabled"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SsoConnectionList"];
                };
            };
        };
    };
    createSsoConnection: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SsoConnectionInput"];
            };
        };
        responses: {
            201: components["responses"]["SsoConnection"];
        };
    };
    getSsoConnection: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                connection_id: components["parameters"]["ConnectionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SsoConnection"];
                };
            };
        };
    };
    putSsoConnection: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                connection_id: components["parameters"]["ConnectionId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SsoConnectionReplacement"];
            };
        };
        responses: {
            200: components["responses"]["SsoConnection"];
        };
    };
    deleteSsoConnection: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                connection_id: components["parameters"]["ConnectionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Deleted"];
        };
    };
    updateSsoConnection: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                connection_id: components["parameters"]["ConnectionId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SsoConnectionPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SsoConnection"];
                };
            };
        };
    };
    testSsoConnection: {
        parameters: {
            query?: never;
            header?: {
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
                connection_id: components["parameters"]["ConnectionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SsoConnectionTest"];
                };
            };
        };
    };
    listDomains: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort3"];
                status?: "pending" | "verified";
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainList"];
                };
            };
        };
    };
    createDomain: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DomainInput"];
            };
        };
        responses: {
            201: components["responses"]["Domain"];
        };
    };
    getDomain: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                domain_id: components["parameters"]["DomainId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    putDomain: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                domain_id: components["parameters"]["DomainId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DomainReplacement"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    deleteDomain: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                domain_id: components["parameters"]["DomainId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Deleted"];
        };
    };
    updateDomain: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                domain_id: components["parameters"]["DomainId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DomainPatch"];
            };
        };
        responses: {
            200: components["responses"]["Domain"];
        };
    };
    verifyDomain: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
                domain_id: components["parameters"]["DomainId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
        };
    };
    listMyPasskeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyList"];
                };
            };
        };
    };
    getMyPasskey: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                passkey_id: components["parameters"]["PasskeyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"];
                };
            };
        };
    };
    deleteMyPasskey: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                passkey_id: components["parameters"]["PasskeyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Removed"];
        };
    };
    renameMyPasskey: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                passkey_id: components["parameters"]["PasskeyId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeyName"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"];
                };
            };
        };
    };
    listSupportGrants: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort7"];
                status?: components["parameters"]["Status5"];
                org_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["SupportGrantList"];
        };
    };
    createSupportGrant: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GrantInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GrantWithToken"];
                };
            };
        };
    };
    getSupportGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                grant_id: components["parameters"]["GrantId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["SupportGrant"];
        };
    };
    revokeSupportGrant: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                grant_id: components["parameters"]["GrantId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["SupportGrant2"];
        };
    };
    listOrgSupportGrants: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort7"];
                status?: components["parameters"]["Status5"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["SupportGrantList"];
        };
    };
    getOrgSupportGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
                grant_id: components["parameters"]["GrantId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["SupportGrant"];
        };
    };
    revokeOrgSupportGrant: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
                grant_id: components["parameters"]["GrantId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["SupportGrant2"];
        };
    };
    listOperatorKeys: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort2"];
                status?: components["parameters"]["Status4"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["KeyList"];
        };
    };
    createOperatorKey: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OperatorKeyInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyWithSecret"];
                };
            };
        };
    };
    getOperatorKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key_id: components["parameters"]["KeyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    rotateOperatorKey: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                key_id: components["parameters"]["KeyId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateKeyInput"];
            };
        };
        responses: {
            200: components["responses"]["KeyWithSecret"];
        };
    };
    revokeOperatorKey: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                key_id: components["parameters"]["KeyId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RevokeInput"];
            };
        };
        responses: {
            200: components["responses"]["RevokedKey"];
        };
    };
    getOperatorIpAllowList: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatorAddressList"];
                };
            };
        };
    };
    putOperatorIpAllowList: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddressListInput"];
            };
        };
        responses: {
            200: components["responses"]["OperatorAddressList"];
        };
    };
    updateOperatorIpAllowList: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OperatorIpAllowListPatch"];
            };
        };
        responses: {
            200: components["responses"]["OperatorAddressList"];
        };
    };
    listNodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeList"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort3"];
                enabled?: components["parameters"]["Enabled"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionList"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SubscriptionInput"];
            };
        };
        responses: {
            201: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedSubscription"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                sub_id: components["parameters"]["SubId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"];
                };
            };
        };
    };
    putWebhook: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                sub_id: components["parameters"]["SubId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SubscriptionReplacement"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                sub_id: components["parameters"]["SubId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Deleted"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                id: components["parameters"]["Id"];
                sub_id: components["parameters"]["SubId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscription"];
                };
            };
        };
    };
    confirmMailAddress: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MailCode"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfirmedMailAddress"];
                };
            };
        };
    };
    getWebhookSigning: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
                sub_id: components["parameters"]["SubId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Signing"];
                };
            };
        };
    };
    rotateWebhookSigning: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
                sub_id: components["parameters"]["SubId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateSigningInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningWithSecret"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort3"];
                from?: components["parameters"]["From"];
                to?: components["parameters"]["To"];
                status?: "pending" | "delivered" | "failed";
                type?: "budget.threshold_crossed" | "budget.exceeded" | "budget.stopped" | "spend_cap.threshold_crossed" | "spend_cap.exceeded" | "spend_cap.stopped" | "customer_limit.threshold_crossed" | "customer_limit.exceeded" | "customer_limit.stopped" | "plan.exceeded" | "plan.stopped" | "chain.exceeded" | "chain.stopped" | "credit_pack.low" | "credit_pack.depleted" | "credit_pack.stopped" | "quota.low" | "quota.depleted" | "quota.stopped" | "freeze.set" | "freeze.lifted" | "key.unreported" | "key.held_at_cost" | "concurrency_limit.reached" | "usage.values_limited" | "policy.created" | "policy.updated" | "policy.deleted" | "approval.requested" | "approval.approved" | "approval.denied" | "approval.expired" | "proposal.requested" | "proposal.approved" | "proposal.denied" | "content_safety.detected" | "eval.expired" | "benchmark.published" | "price.changed" | "decision.refused" | "run.finished" | "key.created" | "key.rotated" | "key.revoked" | "org.suspended" | "org.resumed" | "org.residency_changed" | "subscription.disabled" | "deprecation.announced" | "webhook.test";
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
                sub_id: components["parameters"]["SubId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryList"];
                };
            };
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
                sub_id: components["parameters"]["SubId"];
                delivery_id: components["parameters"]["DeliveryId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
        };
    };
    redeliverWebhook: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
                sub_id: components["parameters"]["SubId"];
                delivery_id: components["parameters"]["DeliveryId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Delivery"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
                sub_id: components["parameters"]["SubId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Delivery"];
        };
    };
    replayWebhook: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                id: components["parameters"]["Id"];
                sub_id: components["parameters"]["SubId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplayInput"];
            };
        };
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                };
            };
        };
    };
    listWebhookReplays: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort3"];
                status?: "waiting" | "finished";
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
                sub_id: components["parameters"]["SubId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayList"];
                };
            };
        };
    };
    getWebhookReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
                sub_id: components["parameters"]["SubId"];
                replay_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                };
            };
        };
    };
    getOrgWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: components["parameters"]["OrgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["DeprecationLink"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrgSecret"];
                };
            };
        };
    };
    rotateOrgWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                "X-Svc-Reason"?: components["parameters"]["Reason"];
            };
            path: {
                org_id: components["parameters"]["OrgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["DeprecationLink"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrgSecretRotation"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort3"];
                from?: components["parameters"]["From"];
                to?: components["parameters"]["To"];
                type?: string;
                subject?: string;
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoggedEventList"];
                };
            };
        };
    };
    getEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
                event_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "x-svc-trace-id": components["headers"]["TraceId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoggedEvent"];
                };
            };
        };
    };
    listAuditLog: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort7"];
                action?: components["parameters"]["Action"];
                actor_id?: components["parameters"]["ActorId"];
                target_id?: components["parameters"]["TargetId"];
                outcome?: components["parameters"]["Outcome2"];
                from?: components["parameters"]["From"];
                to?: components["parameters"]["To"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["AuditLogEntryList"];
        };
    };
    exportAuditLog: {
        parameters: {
            query?: {
                from?: components["parameters"]["From"];
                to?: components["parameters"]["To"];
                format?: components["parameters"]["Format2"];
                cursor?: components["parameters"]["Cursor3"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Answer"];
        };
    };
    verifyAuditLog: {
        parameters: {
            query?: {
                cursor?: components["parameters"]["Cursor4"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["AuditVerification"];
        };
    };
    listOperatorAuditLog: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
                sort?: components["parameters"]["Sort7"];
                action?: components["parameters"]["Action"];
                actor_id?: components["parameters"]["ActorId"];
                target_id?: components["parameters"]["TargetId"];
                outcome?: components["parameters"]["Outcome2"];
                from?: components["parameters"]["From"];
                to?: components["parameters"]["To"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["AuditLogEntryList"];
        };
    };
    exportOperatorAuditLog: {
        parameters: {
            query?: {
                from?: components["parameters"]["From"];
                to?: components["parameters"]["To"];
                format?: components["parameters"]["Format2"];
                cursor?: components["parameters"]["Cursor3"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Answer"];
        };
    };
    verifyOperatorAuditLog: {
        parameters: {
            query?: {
                cursor?: components["parameters"]["Cursor4"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["AuditVerification"];
        };
    };
}
