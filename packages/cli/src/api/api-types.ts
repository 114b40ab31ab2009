// Generated from openapi.json: pnpm generate.
export interface paths {
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
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
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
        Timestamp: string;
        OwnLimits: {
            frozen: components["schemas"]["Frozen"] | null;
            data: components["schemas"]["OwnLimit"][];
        };
        Frozen: {
            reason: string;
            frozen_at: components["schemas"]["Timestamp"];
        };
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
        Usd: string;
        Count: number;
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
        OwnId: string;
        Units: {
            [key: string]: number;
        };
        Metadata: {
            [key: string]: string | number | boolean;
        };
        ChainBoundsReplacement: {
            max_cost_usd?: components["schemas"]["Usd"] | null;
            max_tokens?: components["schemas"]["Count"] | null;
            max_depth?: number | null;
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
        CreatorId: string;
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
        UsagePart: {
            model: components["schemas"]["OwnId"];
            provider?: string;
            usage: components["schemas"]["PartUsage"];
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
        RunList: {
            data: components["schemas"]["Run"][];
            next_cursor: components["schemas"]["NextCursor"];
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
        NextCursor: string | null;
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
        Reservation: {
            reservation_id: string;
            status: string;
            reserved_usd: components["schemas"]["Usd"];
            charged_usd: components["schemas"]["Usd"] | null;
            overrun_usd: components["schemas"]["Usd"] | null;
            created_at: components["schemas"]["Timestamp"];
            expires_at: components["schemas"]["Timestamp"];
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
        ReadOnlyField: unknown;
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
        /** @default UTC */
        Timezone: string;
        /** Format: date */
        PeriodAnchor: string;
        /** @default [] */
        Thresholds: number[];
        /** Format: date-time */
        Moment: string;
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
        Period: string;
        NextSchedule: {
            period: components["schemas"]["Period"];
            timezone: string;
            anchor: string | null;
            from: components["schemas"]["Timestamp"];
        };
        BudgetList: {
            data: components["schemas"]["Budget"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
        DeprecatedCallsList: {
            data: components["schemas"]["DeprecatedCalls"][];
            next_cursor: components["schemas"]["NextCursor"];
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
        IsoDate: string;
        FreezeList: {
            data: components["schemas"]["Freeze"][];
        };
        Freeze: {
            id: string;
            target_kind: string;
            target_id: string;
            reason: string;
            frozen_at: components["schemas"]["Timestamp"];
        };
        KeyReportingList: {
            data: components["schemas"]["KeyReporting"][];
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
        Pins: {
            workflow_id?: string;
            deployment_id?: string;
            department_id?: string;
            customer_id?: string;
            user_id?: string;
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
        KeyList: {
            data: components["schemas"]["Key"][];
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
        JournalEntryList: {
            data: components["schemas"]["JournalEntry"][];
            next_cursor: components["schemas"]["NextCursor"];
        };
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
        PriceTier: {
            above_input_tokens: number;
            input_usd_per_million: string;
            output_usd_per_million: string;
            cache_read_usd_per_million?: string;
            cache_write_usd_per_million?: string;
            other_usd_per_million?: components["schemas"]["OtherUsdPerMillion"];
        };
        PriceMultipliers: {
            priority?: string;
            flex?: string;
            batch?: string;
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
        IgnoredField: unknown;
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
        PriceImportTerm: {
            term: string;
            before: string | null;
            after: string | null;
            difference_percent: number | null;
        };
        PriceImportRemark: {
            model: string;
            line: number | null;
            message: string;
        };
        RefusalList: {
            data: components["schemas"]["Refusal"][];
            next_cursor: components["schemas"]["NextCursor"];
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
        UsageGroup: string;
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
        Destination: {
            kind: string;
            format?: string;
            channel?: string;
            events_url?: string;
            recipients?: string[];
            digest_seconds?: number;
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
        SubscriptionList: {
            data: components["schemas"]["Subscription"][];
            next_cursor: components["schemas"]["NextCursor"];
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
        NodeList: {
            data: components["schemas"]["Node"][];
        };
        Node: {
            id: string;
            role: string;
            version: string;
            status: string;
            started_at: components["schemas"]["Timestamp"];
            lease_until: components["schemas"]["Timestamp"];
        };
    };
    responses: {
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
    };
    parameters: {
        IdempotencyKey: string;
        Limit: number;
        Cursor: string;
        From: string;
        To: string;
        Model: components["schemas"]["OwnId"];
        Provider: string;
        Id: string;
        IfNoneMatch: string;
        Reason: string;
        IfMatch: string;
        Cursor4: string;
        Sort2: "created_at" | "-created_at" | "name" | "-name";
        ScopeId: components["schemas"]["OwnId"];
        Period: "day" | "week" | "month" | "quarter" | "year";
        Sort: "created_at" | "-created_at" | "name" | "-name";
        Status4: "active" | "pending" | "expired" | "revoked";
        Sort6: "batch" | "-batch";
        LimitId2: string;
        KeyId2: string;
        Sort4: "minute" | "-minute";
        CustomerId2: components["schemas"]["OwnId"];
        Cursor2: string;
        Sort5: "period_start" | "-period_start";
        Model2: components["schemas"]["OwnId"];
        Provider2: string;
        WorkflowId: components["schemas"]["OwnId"];
        DeploymentId: components["schemas"]["OwnId"];
        DepartmentId: components["schemas"]["OwnId"];
        Granularity: "hour" | "day" | "week" | "month";
        GroupBy: string;
        Format: "json" | "svg";
        Timezone: components["schemas"]["Timezone"];
        Sort3: "created_at" | "-created_at";
        Enabled: boolean;
    };
    requestBodies: never;
    headers: {
        TraceId: string;
        RateLimitPolicy: string;
        RateLimit: string;
        IdempotentReplayed: "true";
        ServerTiming: string;
        ETag: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
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
}
