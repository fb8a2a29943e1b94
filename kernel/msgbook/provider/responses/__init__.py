"""OpenAI's Responses API: `POST /responses`, without any state on the server.

Reference: https://platform.openai.com/docs/api-reference/responses
"""
