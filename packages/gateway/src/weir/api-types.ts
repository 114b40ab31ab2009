// Generated from openapi.json: pnpm generate.
export interface paths {
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
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
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
        Usd: string;
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
        Count: number;
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
        Timestamp: string;
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
        /** Format: date-time */
        Moment: string;
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
        ExtendInput: {
            /** @default 600 */
            lease_seconds?: number;
            max_output_tokens?: number;
            estimated_cost_usd?: components["schemas"]["Usd"];
        };
    };
    responses: never;
    parameters: {
        IdempotencyKey: string;
        Limit: number;
        Cursor: string;
        From: string;
        To: string;
        Model: components["schemas"]["OwnId"];
        Provider: string;
        RunId: string;
    };
    requestBodies: never;
    headers: {
        TraceId: string;
        RateLimitPolicy: string;
        RateLimit: string;
        IdempotentReplayed: "true";
        ServerTiming: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
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
}
